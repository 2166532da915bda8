"""Tests that the trigger and a replay give the verdicts of the cases of rules about commands.

`cargo test` runs the same cases with the judge.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gate.program import GateReply, Home, policy
from logs.blocks import start
from p4warden.commands.replay import replay

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(
    file
    for rule in ("refuse_commands", "require_command_options")
    for file in (CASES / rule).glob("*.json")
)
Case = dict[str, Any]
each_file = pytest.mark.parametrize(
    "file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}"
)


def read(file: Path) -> tuple[dict[str, Any], list[Case]]:
    """Return the rule and the cases of a file."""
    document = json.loads(file.read_text("utf-8"))
    rule = {"name": "the-rule", "rule": file.parent.name, "mode": document.get("mode", "enforce")}
    return rule | document["settings"], document["cases"]


def arguments(case: Case) -> str | None:
    return " ".join(case["args"]) if "args" in case else None


@each_file
def test_the_trigger_gives_the_verdict_of_the_case(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    home = Home(tmp_path / "home")
    home.activate(policy(rule))
    for case in cases:
        args, before = arguments(case), home.counts()["unknown"]
        words = [] if args is None else [f"--args={args}"]
        name = case.get("command", "fstat").removeprefix("user-")
        reply = home.run("command", "--user=ann", f"--command=user-{name}", *words)
        assert reply.code == (case["verdict"] == "refuse"), case
        is_unknown = home.counts()["unknown"] > before
        assert is_unknown == (case["verdict"] == "unknown"), case


@each_file
def test_the_command_that_a_refusal_shows_is_allowed(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    home = Home(tmp_path / "home")
    home.activate(policy(rule))
    for case in cases:
        args = arguments(case)
        if case["verdict"] != "refuse" or args is None:
            continue
        reply = home.run(
            "command", "--user=ann", f"--command=user-{_name(case)}", f"--args={args}"
        )
        for name, shown in re.findall(r"^Send instead: p4 (\S+) ?(.*)$", reply.text, re.MULTILINE):
            words = [f"--command=user-{name}", f"--args={shown}"]
            assert home.run("command", "--user=ann", *words) == GateReply(0, ""), case


def in_log(case: Case) -> bool:
    """Whether p4d's log can show the command: with all of its arguments, in one line."""
    args = arguments(case)
    is_text = args is not None and args.isprintable() and args.isascii()
    return is_text and not any(left_out in str(args) for left_out in ("%args%", "  ("))


@each_file
def test_a_replay_gives_the_verdict_of_the_case(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    logged = [case for case in cases if in_log(case)]
    log, each, source = tmp_path / "log", tmp_path / "each", tmp_path / "policy.yaml"
    blocks = [
        start(f"09:00:{number:02}", number + 1, f"user-{_name(case)} {arguments(case)}".rstrip())
        for number, case in enumerate(logged)
    ]
    log.write_text("".join(blocks))
    named = {**rule, "commands": [one for one in rule["commands"] if one not in RESCUED]}
    source.write_text(json.dumps({"version": 1, "contact": "admins", "rules": [named]}))
    words = [str(log), "--policy", str(source), "--each", str(each)]
    result = CliRunner().invoke(replay, words, standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 0
    answers = [json.loads(line) for line in each.read_text().splitlines()]
    verdicts = {(answer["line"] - 1) // LINES_OF_A_BLOCK: answer["verdict"] for answer in answers}
    for number, case in enumerate(logged):
        assert verdicts.get(number, "allow") == case["verdict"], case


LINES_OF_A_BLOCK = 3
RESCUED = {"login", "info", "user", "passwd", "protect", "triggers", "monitor"}


def _name(case: Case) -> str:
    return str(case.get("command", "fstat")).removeprefix("user-")
