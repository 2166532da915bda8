"""Tests that each Rust module uses only modules listed before it in triggers/gate/rooms.cfg."""

from __future__ import annotations

import re
from configparser import ConfigParser
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTED = ConfigParser()
LISTED.read(ROOT / "triggers/gate/rooms.cfg")
ROOTS = {"lib.rs", "main.rs"}
# Pattern of a Rust path to another module: `crate::room::module`, another name in `crate::`, or
# `super::module`.
USE = re.compile(r"(?<![\w$])crate::(?:(\w+)::(\w+))?|\bsuper::(super\b|\w+)")


def module_of(source: Path) -> tuple[str, str]:
    """Return the room and module of a Rust source: ("home", "state") for home/state/table.rs."""
    return source.parts[0], "/".join(source.parts[1:2]).removesuffix(".rs")


def order_of(program: str) -> list[tuple[str, str]]:
    """Return all (room, module) pairs of a Rust program, lowest layer first."""
    return [
        (room, module)
        for room in LISTED[program]
        for name in LISTED[program][room].split()
        for module in (unnamed(program, room) if name == "*" else [name])
    ]


def unnamed(program: str, room: str) -> list[str]:
    """Return the modules for which `*` stands."""
    modules = {path.name.removesuffix(".rs") for path in (ROOT / program / room).iterdir()}
    return sorted(modules - {"mod", *LISTED[program][room].split()})


def misuses(source: Path, text: str, program: str) -> list[str]:
    """Return a message for each use of a module against the order of triggers/gate/rooms.cfg."""
    own, order = module_of(source), order_of(program)
    before = order[: order.index(own)] if own in order else []
    if own[0] in LISTED[program] and own[1] in (siblings := unnamed(program, own[0])):
        before = [(room, name) for room, name in before if room != own[0] or name not in siblings]
    beside = {name for room, name in order if room == own[0] and len(source.parts) == 2}
    problems = []
    for use in USE.finditer(text):
        if (use[1], use[2]) not in [own, *before] and (use[3] in {None, "super", *beside}):
            line = text.count("\n", 0, use.start()) + 1
            problems.append(f"{source}:{line}: may not use {use[0]}")
    return problems


@pytest.mark.parametrize("program", LISTED.sections())
def test_every_rust_module_is_listed_once_in_rooms_cfg(program: str) -> None:
    folder = ROOT / program
    sources = {path.relative_to(folder) for path in folder.rglob("*.rs")}
    inside = {source for source in sources if str(source) not in ROOTS}
    doors = {source for source in inside if source.parts[1:] == ("mod.rs",)}
    assert {door.parts[0] for door in doors} == set(LISTED[program])
    modules = {module_of(source) for source in inside - doors}
    assert sorted(modules) == sorted(order_of(program)), (
        "triggers/gate/rooms.cfg lists every module once"
    )


@pytest.mark.parametrize("program", LISTED.sections())
def test_no_rust_module_uses_a_module_listed_later(program: str) -> None:
    folder, problems = ROOT / program, []
    for path in sorted(folder.glob("*/**/*.rs")):
        problems += misuses(path.relative_to(folder), path.read_text("utf-8"), program)
    assert not problems, (
        "after crate:: name a room and a module that triggers/gate/rooms.cfg has before it"
    )


def circle_in(folder: Path) -> list[str]:
    """Return modules of a folder that use each other in a circle; none without a circle."""
    uses: dict[str, set[str]] = {
        path.stem: set(re.findall(r"\bsuper::(\w+)", path.read_text("utf-8")))
        for path in folder.glob("*.rs")
        if path.name != "mod.rs"
    }
    try:
        TopologicalSorter(
            {name: used & set(uses) - {name} for name, used in uses.items()}
        ).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("program", LISTED.sections())
def test_the_modules_of_a_folder_do_not_use_each_other_in_a_circle(program: str) -> None:
    folders = {path.parent for path in (ROOT / program).glob("*/*/**/*.rs")}
    assert {folder: circle for folder in folders if (circle := circle_in(folder))} == {}


@pytest.mark.parametrize(
    "path", ["base::text::cut", "contract::keys::Key", "contract::rule_result::RuleResult"]
)
def test_use_of_a_module_listed_earlier_is_accepted(path: str) -> None:
    assert (
        misuses(Path("contract/rule_result.rs"), f"use crate::{path};", "triggers/gate/src") == []
    )


@pytest.mark.parametrize(
    "line",
    [
        "use crate::judge::command_decision::decide;",
        "use crate::home::folder::Home;",
        "use crate::base::{bytes, text};",
        "use crate::{base::text, event};",
        "use super::keys::Key;",
        "use super::super::home;",
        "let answer = crate::trigger::answer::Answer::GoOn;",
    ],
)
def test_a_use_not_of_an_earlier_module_by_full_path_is_reported_with_its_line(line: str) -> None:
    (problem,) = misuses(Path("contract/rule_result.rs"), f"//!\n{line}", "triggers/gate/src")
    assert problem.startswith("contract/rule_result.rs:2: may not use ")


def test_a_rule_may_not_use_another_rule() -> None:
    source, text = (
        Path("rules/limit_view_scope/mod.rs"),
        "use crate::rules::limit_depot_count::KIND;",
    )
    assert misuses(source, text, "triggers/gate/src") != []
