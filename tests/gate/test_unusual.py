"""Tests of unusual commands: of several readings of one, a rule allows some and refuses others."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from gate.other_spellings import INDEXED, RULES, spelled
from gate.program import GO_ON, Home, judge, policy
from p4warden.programs.known_programs import known_programs
from support import make_ordinary
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

WIDE = {
    "name": "wide",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": ["changes", "files", "fstat", "print", "sizes"],
    "min_depth": 1,
}
UNUSUAL, ORDINARY = "--args= -Ro //depot/...", "--args=//depot/..."


@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_an_unusual_command_is_refused_where_the_rule_is_enforced(
    gate_home: Home, mode: str
) -> None:
    gate_home.activate(policy(WIDE | {"mode": mode}))
    reply = gate_home.fstat(UNUSUAL, "--prog=p4")
    [record] = gate_home.log()
    assert record["unusual"] is True
    assert record["detail"] == (
        "Argument 2 (//depot/...) asks for all of //depot; name at least one directory below it, "
        "if read in one of several ways"
    )
    assert (record["verdict"], reply == GO_ON) == {
        "observe": ("observe", True),
        "enforce": ("refuse", False),
    }[mode]
    if mode == "enforce":
        assert reply.text.splitlines()[1] == (
            "Your command can be read in several ways, and the rule allows only some of them. "
            "Write each option once and before the files, without empty words and quotation "
            "marks, and name files by depot paths."
        )


def test_a_rule_may_allow_unusual_commands_and_logs_them(gate_home: Home) -> None:
    gate_home.activate(policy(WIDE | {"unusual": "allow"}))
    assert gate_home.fstat(UNUSUAL) == GO_ON
    assert gate_home.fstat(ORDINARY).code == 1
    unusual, ordinary = gate_home.log()
    assert (unusual["verdict"], unusual["would"], unusual["unusual"]) == ("observe", "allow", True)
    assert (ordinary["verdict"], "unusual" in ordinary) == ("refuse", False)


def test_unusual_commands_are_counted_apart_from_others(gate_home: Home) -> None:
    gate_home.activate(policy(WIDE))
    for args in (ORDINARY, UNUSUAL, ORDINARY, UNUSUAL, UNUSUAL):
        assert gate_home.fstat(args).code == 1
    assert ["unusual" in record for record in gate_home.log()] == [False, True]
    owed = {"unusual" in entry: entry["count"] for entry in gate_home.counts()["owed"]}
    assert owed == {False: 1, True: 2}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["rule"])
def test_no_other_spelling_makes_a_refused_command_silent(
    rule: dict[str, Any], tmp_path: Path
) -> None:
    tries = random.Random(45)  # noqa: S311 - no secret
    pairs = [spelled(tries, rule) for _ in range(1000)]
    index = f"--index={small_index(tmp_path, INDEXED, {'ws': []})}"
    enforced = policy({"name": "scans", "mode": "enforce", **rule})
    events = [event for pair in pairs for event in pair]
    answers, _ = judge(enforced, events, index)
    assert {answer["verdict"] for answer in answers[::2]} == {"refuse"}
    assert not any("unusual" in finding for one in answers[::2] for finding in one["findings"])
    assert [
        (event, answer["verdict"])
        for event, answer in zip(events, answers, strict=True)
        if answer["verdict"] != "refuse"
    ] == []
    assert sum("unusual" in answer["findings"][0] for answer in answers[1::2]) > 10


@pytest.mark.long
def test_no_ordinary_command_is_unusual() -> None:
    ordinary = [one["event"] for one in make_ordinary.judged()]
    requests = [one for program in known_programs() for one in program.requests]
    commands = [event for one in requests if one.kind == "commands" for event in one.events()]
    commands += [event for event in ordinary if event["event"] == "command"]
    names = sorted({event["command"] for event in commands})
    options = {"required": ["-s"], "max": 10, "forbidden": ["-f", "-a"]}
    bounded = {"name": "big", "rule": "require_command_options", "mode": "enforce", **options}
    rules = [{**rule, "commands": names} for rule in (WIDE | {"min_depth": 2}, bounded)]
    for rule in rules:
        plain = [{key: one[key] for key in one.keys() - {"facts"}} for one in commands]
        answers, _ = judge(policy(rule), plain)
        assert sum(answer["verdict"] == "refuse" for answer in answers) > 300
        assert [
            (event, answer)
            for event, answer in zip(plain, answers, strict=True)
            if any("unusual" in finding for finding in answer["findings"])
        ] == []
