"""Tests of the table of known offenders, which the gate and the reports share."""

from __future__ import annotations

from typing import Any

import pytest

from gate.program import judge, policy
from p4warden.programs.known_programs import known_programs
from p4warden.programs.offenders import offenders
from support.write_offenders import FILE, table


def test_the_gate_has_the_offenders_of_the_data_files() -> None:
    assert FILE.read_text("utf-8") == table()


def events() -> list[tuple[str, dict[str, Any]]]:
    """Return a recorded request of the program for each offender that has one."""
    found = []
    for one in offenders().values():
        program = next(p for p in known_programs() if p.key == one.key.partition("/")[0])
        words = {word for word in one.form if word.startswith("-")}
        for request in program.requests:
            args = request.event.get("args", ())
            has_words = all(any(arg.startswith(word) for arg in args) for word in words)
            if request.event.get("command") == one.command and has_words:
                found.append((one.key, next(request.events())))
    return found


def test_a_refusal_names_cause_and_remedy_of_a_known_offender() -> None:
    rate = {"per": ["program"], "allow": "1/d"}
    rule = {"name": "one", "rule": "limit_command_rate", "mode": "enforce", "limits": [rate]}
    document = policy(rule | {"commands": ["changes", "files", "fstat"]})
    known, seen = offenders(), set()
    for key, event in events():
        (_, answer), _ = judge(document, [event | {"time": 1}] * 2, "--texts")
        named = [one.key for one in known.values() if one.cause in answer["text"]]
        if key in named:
            assert f"{known[key].cause} {known[key].remedy}\n" in answer["text"]
            seen.add(key)
    assert seen == set(known)


@pytest.mark.parametrize(
    "event",
    [
        {"prog": "Unity", "command": "sync", "args": []},
        {"prog": "p4", "command": "fstat", "args": ["//depot/..."]},
        {"prog": "UnrealGameSync", "command": "changes", "args": ["-m1", "//ws/..."]},
    ],
)
def test_other_commands_and_programs_have_no_known_cause(event: dict[str, Any]) -> None:
    rate = {"per": ["user"], "allow": "1/d"}
    rule = {"name": "one", "rule": "limit_command_rate", "mode": "enforce", "limits": [rate]}
    document = policy(rule | {"commands": ["changes", "sync", "fstat"]})
    sent = {"event": "command", "user": "ann", "time": 1} | event
    (_, answer), _ = judge(document, [sent] * 2, "--texts")
    assert answer["verdict"] == "refuse"
    assert not any(one.cause in answer["text"] for one in offenders().values())
