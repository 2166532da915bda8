"""Tests of the list of the commands that p4warden sends to a server."""

import ast
import functools
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import p4warden
from p4warden.server import questions
from p4warden.server.printing_lines import QUESTIONS
from p4warden.server.questions import ask, form
from support.fake_p4 import FakeP4

PACKAGE = Path(p4warden.__file__).parent
# `prove` and `bench` send commands to servers that are for tests alone.
NOT_QUESTIONS = (
    "server/questions.py",
    "server/reply.py",
    "prove/",
    "workbench/benchmarks/",
    "commands/bench.py",
)
# Other functions named `run`, by the object before the dot.
OTHER_RUNS = {"subprocess", "all_checks", "cases"}
P4PYTHON = ("run_", "fetch_", "save_", "delete_", "iterate_")


@functools.cache
def calls() -> list[tuple[str, ast.Call]]:
    names = {file.relative_to(PACKAGE).as_posix(): file for file in PACKAGE.rglob("*.py")}
    return [
        (f"{name}:{node.lineno}", node)
        for name, file in sorted(names.items())
        if not name.startswith(NOT_QUESTIONS)
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call)
    ]


def runs_p4(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    name, before = call.func.attr, ast.unparse(call.func.value)
    return (
        (name == "receive" and bool(call.args))
        or (name == "run" and before not in OTHER_RUNS)
        or (name.startswith(P4PYTHON) and before.endswith("p4"))
    )


def test_every_command_to_a_server_is_sent_through_the_list() -> None:
    assert [place for place, call in calls() if runs_p4(call)] == []


def silent() -> Any:
    """Return a connection that answers every command with no rows."""
    return FakeP4(lambda _: [])


def test_the_commands_in_the_code_are_listed() -> None:
    first_word = {"ask": 1, "said": 1, "visit_rows": 2}
    places = [(call.args, first_word.get(ast.unparse(call.func))) for _, call in calls()]
    asked = [words[first : first + 2] for words, first in places if first]
    assert len(asked) > 20
    for words in asked:
        known = takewhile(lambda word: isinstance(word, ast.Constant), words)
        for command in filter(None, [[ast.literal_eval(word) for word in known]]):
            assert ask(silent(), *command) == []
    forms = [call.args[1] for _, call in calls() if ast.unparse(call.func) == "form"]
    names = [ast.literal_eval(word) for word in forms if isinstance(word, ast.Constant)]
    assert sorted(names) == ["protect", "triggers"]
    assert [form(silent(), name) for name in names] == ["", ""]


def test_every_command_that_is_asked_is_tried_for_triggers_that_print() -> None:
    names = {name.split()[0] for name in questions._FIELDS}
    assert names - {"filelog", "fstat", "print", "sizes", "sync"} == set(QUESTIONS)


def test_an_unlisted_command_is_not_sent() -> None:
    with pytest.raises(KeyError, match="serverid"):
        ask(silent(), "serverid")
