"""Tests of unusual commands: of several readings of one, a rule allows some and refuses others."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import GO_ON, Home, judge, policy
from p4warden.programs.known_programs import known_programs
from support import make_ordinary
from support.small_index import small_index

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

WIDE = {
    "name": "wide",
    "rule": "limit_command_scope",
    "mode": "enforce",
    "commands": ["changes", "files", "fstat", "print", "sizes"],
    "min_depth": 1,
}
MANY = {
    "name": "many",
    "rule": "limit_scanned_rows",
    "mode": "enforce",
    "commands": WIDE["commands"],
    "max_files": 100,
    "max_revisions": 100,
}
BOUNDED = {
    "name": "bounded",
    "rule": "require_command_options",
    "mode": "enforce",
    "commands": ["opened"],
    "max": 100,
    "forbidden": ["-a"],
}
LONG = {"-m": "--max", "-u": "--user", "-T": "--attribute", "-b": "--blocksize"}
UNUSUAL, ORDINARY = "--args= -Ro //depot/...", "--args=//depot/..."
# Refused commands, as words before and after the place of further options.
REFUSED = (
    ("changes", ("-m", "5", "-u", "ann"), ("//depot/...",)),
    ("changes", ("-l",), ("//...",)),
    ("files", ("-e",), ("//depot/...", "//depot/main/...")),
    ("files", (), ("//depot/.../a.c",)),
    ("fstat", ("-Rc", "-T", "depotFile"), ("//depot/...",)),
    ("fstat", ("-m", "7", "-Ol"), ("//depot/main/...", "//...")),
    ("print", ("-q",), ("//depot/...",)),
    ("sizes", ("-s", "-b", "4096"), ("//depot/...",)),
    ("opened", ("-u", "ann"), ("//depot/main/...",)),
    ("opened", ("-m", "500"), ()),
    ("opened", ("-a", "-m", "10"), ()),
)
OUTPUT = {
    "changes": ("-t", "-L", "-f"),
    "files": ("-e",),
    "fstat": ("-Op", "-Oh", "-l", "-r"),
    "print": ("-q", "-K"),
    "sizes": ("-h", "-H"),
    "opened": ("-s",),
}
AGAIN = {
    "changes": ("-m1", "-m 3", "--max=9", "-u bob"),
    "fstat": ("-Ro", "-Roh", "-R o", "-T x"),
    "opened": ("-m5", "-m 10", "--max 9"),
}


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


def variants(tries: random.Random) -> tuple[str, list[str]]:
    """Return a refused command with words that vanish, options again, apart or joined."""
    command, options, files = tries.choice(REFUSED)
    words = respelled(options, tries)
    for _ in range(tries.randrange(3)):
        words[:0] = tries.choice(OUTPUT[command]).split()
    again = [one for one in AGAIN.get(command, ()) if one[:2].replace("--", "-m") in options]
    again += [one for one in AGAIN.get(command, ()) if one[:2] == "-R" and "-Rc" in options]
    if again and tries.random() < 0.5:
        words += tries.choice(again).split()
    words += files
    for _ in range(tries.randrange(3)):
        words.insert(tries.randrange(len(words) + 1), tries.choice(["", " ", '"', '""']))
    return command, words


def respelled(options: Iterable[str], tries: random.Random) -> list[str]:
    """Return options with their values apart or joined, and flags joined with what follows."""
    words: list[str] = []
    for word in options:
        is_value = not word.startswith("-")
        last = words[-1] if words else ""
        is_flag = len(last) == 2 and last not in LONG
        if (is_value or is_flag) and tries.random() < 0.5:
            words[-1] = f"{last}{word}" if is_value else f"{last}{word[1:]}"
        elif is_value and len(last) == 2 and tries.random() < 0.5:
            words[-1] = f"{LONG[last]}={word}"
        else:
            words.append(word)
    return words


def events(commands: Iterable[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    return [
        {"event": "command", "command": command, "args": args, "user": "ann"}
        for command, args in commands
    ]


@pytest.mark.parametrize("rule", [WIDE, MANY], ids=lambda rule: rule["rule"])
def test_no_other_spelling_makes_a_refused_command_silent(
    rule: dict[str, Any], tmp_path: Path
) -> None:
    tries = random.Random(45)  # noqa: S311 - no secret
    commands = [variants(tries) for _ in range(3000)]
    index = small_index(tmp_path, {"//depot/main": 900, "//depot/src": 90}, {"ws": []})
    answers, _ = judge(policy(rule, BOUNDED), events(commands), f"--index={index}")
    silent = [
        (command, answer["verdict"])
        for command, answer in zip(commands, answers, strict=True)
        if answer["verdict"] != "refuse"
    ]
    assert silent == []
    assert sum(answer["findings"][0].get("unusual", False) for answer in answers) > 200


def test_the_commands_from_which_the_spellings_are_made_are_refused_and_ordinary() -> None:
    plain = [(command, [*options, *files]) for command, options, files in REFUSED]
    answers, _ = judge(policy(WIDE, BOUNDED), events(plain))
    for answer in answers:
        assert answer["verdict"] == "refuse"
        assert "unusual" not in answer["findings"][0]


def test_no_ordinary_command_is_unusual() -> None:
    ordinary = map(json.loads, make_ordinary.text().splitlines())
    requests = [one for program in known_programs() for one in program.requests]
    commands = [event for one in requests if one.kind == "commands" for event in one.events()]
    commands += [event for event in ordinary if event["event"] == "command"]
    every = [
        {"name": "all", "min_depth": 2},
        {"name": "big", "max": 10, "forbidden": ["-f", "-a"]},
    ]
    names = sorted({event["command"] for event in commands})
    rules = [
        {**rule, **settings, "commands": names}
        for rule, settings in zip((WIDE, {**BOUNDED, "required": ["-s"]}), every, strict=True)
    ]
    for rule in rules:
        plain = [{key: one[key] for key in one.keys() - {"facts"}} for one in commands]
        answers, _ = judge(policy(rule), plain)
        assert sum(answer["verdict"] == "refuse" for answer in answers) > 300
        assert [
            (event, answer)
            for event, answer in zip(plain, answers, strict=True)
            if any("unusual" in finding for finding in answer["findings"])
        ] == []
