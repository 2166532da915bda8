"""Tests of long lists of words: all work on a command is bounded, and its end is a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gate.program import judge, policy
from support.small_index import PROGRAM, small_index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_WORDS, PATHS = 131_072, 10_000
SCOPE = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
SCAN = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce", "max_files": 20_000}
VIEW = [f"//depot/d{number}/... //ws/d{number}/..." for number in range(100)]


def rules(command: str) -> dict[str, Any]:
    return policy({**SCOPE, "commands": [command]}, {**SCAN, "commands": [command]})


def event(command: str, words: list[str], **more: Any) -> dict[str, Any]:
    names = {"event": "command", "user": "ann", "client": "ws", "clientcwd": "/home/ws/d7"}
    return {**names, "command": command, "args": words, **more}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not PROGRAM.is_file():
        pytest.skip("no p4warden-index")
    clients = {"ws": VIEW} | {f"c{number}": VIEW for number in range(40)}
    return small_index(tmp_path_factory.mktemp("index"), {"//depot/d7": 3000}, clients)


def paths() -> Iterator[list[str]]:
    for path in ("f{}.c", "/home/ws/d7/f{}.c", "//ws/d7/f{}.c", "//depot/d7/f{}.c", "./d{}/..."):
        yield [path.format(number) for number in range(PATHS)]
    yield [*(f"/home/ws/d7/f{number}.c" for number in range(PATHS)), "y*"]


@pytest.mark.parametrize("command", ["sync", "fstat", "files"])
def test_10000_paths_are_judged(command: str, index: Path) -> None:
    events = [event(command, words) for words in paths()]
    for options in ((), (f"--index={index}",)):
        answers, _ = judge(rules(command), events, *options)
        assert {answer["verdict"] for answer in answers} <= {"allow", "unknown"}


def test_too_many_words_are_a_finding_and_no_fault() -> None:
    answers, _ = judge(
        rules("files"), [event("files", ["a"] * (MAX_WORDS + more)) for more in (0, 1)]
    )
    few, many = answers
    assert few["verdict"] == "unknown"  # there is no index
    assert many["verdict"] == "refuse"
    assert many["detail"] == "files has too many arguments to judge: at most 131072 words"


def test_options_of_too_many_words_are_a_finding() -> None:
    lists = {"name": "lists", "rule": "require_command_options", "mode": "enforce", "max": 10}
    events = [event("files", ["-m5", "-q", "a"] + ["a"] * (MAX_WORDS - more)) for more in (3, 2)]
    answers, _ = judge(policy({**lists, "commands": ["files"]}), events)
    assert [answer["verdict"] for answer in answers] == ["allow", "refuse"]
    assert answers[1]["detail"] == "files has too many arguments to judge: at most 131072 words"


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_too_many_look_ups_in_the_index_are_a_finding(mode: str, index: Path) -> None:
    words = [f"//c{number % 40}/d{number}/..." for number in range(PATHS)]
    for rule in (SCOPE, {**SCAN, "max_files": 10**12}):
        document = policy({**rule, "mode": mode, "commands": ["files"]})
        (answer,), _ = judge(document, [event("files", words)], f"--index={index}")
        assert answer["verdict"] == {"enforce": "refuse"}.get(mode, mode)
        assert answer["detail"] == "files has too many arguments to judge: at most 3800000 steps"


@pytest.mark.parametrize("command", ["sync", "files"])
@pytest.mark.parametrize("path", ["//c1/...", "./*@lab", "//ws/...@2026/01/02"])
def test_equal_arguments_take_one_look_up(command: str, path: str, index: Path) -> None:
    once, again = ([path] * times for times in (1, 40_000))
    for rule in (SCOPE, {**SCAN, "max_files": 10**12}):
        document = policy({**rule, "mode": "enforce", "commands": [command]})
        events = [event(command, words) for words in (once, again)]
        answers, _ = judge(document, events, f"--index={index}")
        assert answers[0]["verdict"] == answers[1]["verdict"]
