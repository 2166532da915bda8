"""Tests that any arguments get a verdict on their depth, in a time linear in their length."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.program import judge, policy
from support.examples import examples

RULE = {"name": "scope", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 20}
DEEP = policy({**RULE, "commands": ["files", "fstat"]})


words = st.one_of(
    st.sampled_from(["-m", "-e", "-T", "--max", "-", "--", "//...", "//depot/main/...", "@=1"]),
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda text: text.decode("utf-8", "surrogateescape")),
)


@given(st.lists(st.lists(words, max_size=8), min_size=1, max_size=40))
@settings(deadline=None, max_examples=examples(60))
def test_random_arguments_get_a_verdict(argument_lists: list[list[str]]) -> None:
    event = {"event": "command", "command": "fstat", "client": "ws"}
    lines = [{**event, "args": encodable(args)} for args in argument_lists]
    answers, code = judge(DEEP, lines)
    assert code == 0
    assert {answer["verdict"] for answer in answers} <= {"allow", "unknown", "refuse"}
    assert len(answers) == len(argument_lists)


def encodable(args: list[str]) -> list[str]:
    """Remove surrogates that represent no byte; a command-line argument cannot contain them."""
    return [re.sub("[\ud800-\udc7f\udd00-\udfff]", "", word) for word in args]


@pytest.mark.parametrize(
    "args",
    [
        "//depot/" * 400_000,
        "." * 3_000_000,
        "*" * 3_000_000,
        "//depot/a/" + "%%1" * 1_000_000,
        "-" * 3_000_000,
        "-m " * 1_000_000,
        "//ws/... " * 300_000,
        "( ) (1) " * 300_000,
    ],
    ids=lambda args: args[:12],
)
def test_arguments_of_megabytes_are_judged_within_the_time_limit(args: str) -> None:
    """Let the gate judge arguments of megabytes; quadratic time would exceed the time limit."""
    line = {"event": "command", "command": "fstat", "client": "ws", "args": [args]}
    facts: dict[str, Any] = {"depots": {f"depot{number}": {} for number in range(10)}}
    [answer], _ = judge(DEEP, [{**line, "facts": facts}])
    assert answer["verdict"] in {"allow", "unknown", "refuse"}
