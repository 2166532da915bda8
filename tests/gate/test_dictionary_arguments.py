"""Tests of a command's arguments in the dictionary on standard input (triggers.io=1)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate.forms import NARROW, VIEWS, save, submit
from gate.program import Home, policy, rate, rule

FOLDER = Path(__file__).parents[1] / "cases" / "dictionary_arguments"
CASES: list[dict[str, Any]] = [
    case
    for file in sorted(FOLDER.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))["cases"]
]
RULE = {
    "name": "narrow",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": ["files"],
    "min_depth": 1,
    "depots": {},
}
FILES = {"rule": "limit_files", "mode": "enforce", "max": 9}
IDENTITY = b"user:ann\nclient:ws\nclientprog:p4\n"


def line(home: Home, *, prog: str = "p4", command: str = "files") -> list[str]:
    options = ["--on-error=deny", "--triggers-io=1", f"--command=user-{command}"]
    return home.line("command", *options, "--user=ann", "--client=ws", f"--prog={prog}")


def answer(home: Home, content: bytes, **more: str) -> str:
    """Run the gate; fail if it does not read all of standard input before it ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen(line(home, **more), stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(content)
        process.stdin.close()
        text = process.stdout.read().decode()
    assert process.returncode == 0
    return text


def verdict(home: Home, content: bytes, **more: str) -> str:
    """Return the gate's verdict on a command: that of the rule, or `tampered`."""
    text = answer(home, content, **more)
    if text in {"", "action:pass\n"}:
        return "unknown" if home.counts()["unknown"] else "allow"
    assert text.startswith("action:fail\nmessage:")
    return "tampered" if "cannot be used on this server" in text else "refuse"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_command_is_judged_by_the_arguments_in_the_dictionary(
    gate_home: Home, case: dict[str, Any]
) -> None:
    gate_home.activate(policy(RULE))
    more = {"prog": case["prog"]} if "prog" in case else {}
    assert verdict(gate_home, case["dictionary"].encode(), **more) == case["verdict"]


def paths(number_of_bytes: int) -> bytes:
    path = b"//depot/main/Content/__ExternalActors__/Maps/Main/0/3B/F73SF%d.uasset "
    return b"".join(path % number for number in range(number_of_bytes // 60))[:number_of_bytes]


@pytest.mark.parametrize(("end", "expected"), [(b"", "allow"), (b" //depot/...", "refuse")])
def test_a_mebibyte_of_arguments_is_judged(gate_home: Home, end: bytes, expected: str) -> None:
    gate_home.activate(policy(RULE))
    content = IDENTITY + b"args:" + paths(1024 * 1024) + end + b"\nargc:17000\n"
    assert verdict(gate_home, content) == expected


@pytest.mark.parametrize("start", [IDENTITY, b""])
def test_more_arguments_than_the_gate_keeps_are_too_many(gate_home: Home, start: bytes) -> None:
    counts = rule(rate("user", "args"), commands=["files"])
    gate_home.activate(policy(RULE, counts))
    content = start + b"args:" + paths(5 * 1024 * 1024) + b"\n" + IDENTITY
    assert verdict(gate_home, content) == "refuse"
    assert gate_home.log()[-1]["detail"] == (
        "files has too many arguments to judge: at most 4 MiB"
    )
    gate_home.activate(policy(counts))
    assert verdict(gate_home, content) == "unknown"


def test_a_user_cut_off_at_the_limit_contradicts_nothing(gate_home: Home) -> None:
    gate_home.activate(policy(RULE))
    start = b"args:" + paths(4 * 1024 * 1024 - 5 - 8) + b"\n"
    assert verdict(gate_home, start + b"user:ann\n" * 100) == "refuse"


@pytest.mark.parametrize("command", ["login", "files", "sync"])
def test_standard_input_is_read_to_its_end_whatever_the_answer(
    gate_home: Home, command: str
) -> None:
    content = IDENTITY + b"args:" + paths(1024 * 1024) + b"\n"
    gate_home.activate(policy(RULE))
    (gate_home.folder / "off").write_text("")
    assert answer(gate_home, content, command=command) == "action:pass\n"


def test_observing_refuses_nothing_whatever_is_on_standard_input(gate_home: Home) -> None:
    gate_home.activate(policy(RULE | {"mode": "observe"}))
    for case in CASES:
        content = case["dictionary"].encode()
        # Only a server with triggers.io=0, which expects no dictionary, writes nothing.
        assert answer(gate_home, content, prog="p4") == ("action:pass\n" if content else "")


def test_a_question_counts_alike_from_the_line_and_from_the_dictionary(gate_home: Home) -> None:
    gate_home.activate(policy(rule(rate("user", "args"), commands=["files"])))
    words = ["--user=ann", "--client=ws", "--prog=p4", "--args=//depot/a //depot/b"]
    assert gate_home.run("command", "--command=user-files", *words).code == 0
    assert verdict(gate_home, IDENTITY + b"args://depot/c\n") == "allow"
    assert verdict(gate_home, IDENTITY + b"args:-m 7 //depot/b //depot/a\n") == "refuse"


@pytest.mark.parametrize("is_submit", [False, True])
def test_an_entry_that_a_name_forges_is_found_for_forms_and_submits_too(
    gate_home: Home, *, is_submit: bool
) -> None:
    gate_home.activate(policy(VIEWS, {"name": "files", **FILES}))

    def text(dictionary: bytes) -> str:
        words = ("--triggers-io=1", "--client=ws", "--prog=p4")
        content = dictionary.decode()
        if is_submit:
            return submit(gate_home, *words, input=content).text
        return save(gate_home, NARROW, *words, input=content).text

    own = b"changelist:12\n" if is_submit else b"formname:ws\n"
    assert text(IDENTITY + own) == "action:pass\n"
    assert "control character" in text(IDENTITY + own + own)
    assert gate_home.log()[-1]["tampered"]
