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

from gate.program import GO_ON, GateReply, Home, policy
from logs.blocks import start
from p4warden.commands.replay import replay

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(
    file
    for rule in ("refuse_commands", "require_command_options")
    for file in (CASES / rule).glob("*.json")
)
Case = dict[str, Any]
SHOWN = "Send instead: p4 "


def each(files: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("file", files, ids=lambda f: f"{f.parent.name}/{f.stem}")


def read(file: Path) -> tuple[dict[str, Any], list[Case]]:
    """Return the rule and the cases of a file."""
    document = json.loads(file.read_text("utf-8"))
    rule = {"name": "the-rule", "rule": file.parent.name, "mode": document.get("mode", "enforce")}
    return rule | document["settings"], document["cases"]


def arguments(case: Case) -> str | None:
    return " ".join(case["args"]) if "args" in case else None


def asked(home: Home, case: Case) -> GateReply:
    args = arguments(case)
    words = [] if args is None else ["--args=" + args.replace('"', "")]  # as p4d passes them
    return home.run("command", "--user=ann", f"--command=user-{_name(case)}", *words)


@each(FILES)
def test_the_trigger_gives_the_verdict_of_the_case(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    home = Home(tmp_path / "home")
    home.activate(policy(rule))
    for case in cases:
        before = home.counts()["unknown"]
        assert asked(home, case).code == (case["verdict"] == "refuse"), case
        is_unknown = home.counts()["unknown"] > before
        assert is_unknown == (case["verdict"] == "unknown"), case


@each([file for file in FILES if SHOWN in file.read_text("utf-8")])
def test_the_command_that_a_refusal_shows_is_allowed(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    home = Home(tmp_path / "home")
    home.activate(policy(rule))
    shown = 0
    for case in (case for case in cases if case["verdict"] == "refuse"):
        text = asked(home, case).text
        for name, args in re.findall(rf"^{SHOWN}(\S+) ?(.*)$", text, re.MULTILINE):
            words = [f"--command=user-{name}", f"--args={args}"]
            assert home.run("command", "--user=ann", *words) == GO_ON, case
            shown += 1
    assert shown >= sum(case.get("fix", "").startswith(SHOWN) for case in cases)


def in_log(case: Case) -> bool:
    """Whether p4d's log can show the command: with all of its arguments, in one line."""
    args = arguments(case)
    is_text = args is not None and args.isprintable() and args.isascii()
    return is_text and not any(left_out in str(args) for left_out in ("%args%", "  ("))


@each(FILES)
def test_a_replay_gives_the_verdict_of_the_case(file: Path, tmp_path: Path) -> None:
    rule, cases = read(file)
    logged = [case for case in cases if in_log(case)]
    log, verdict_file, source = tmp_path / "log", tmp_path / "each", tmp_path / "policy.yaml"
    blocks = [
        start(f"09:00:{number:02}", number + 1, f"user-{_name(case)} {arguments(case)}".rstrip())
        for number, case in enumerate(logged)
    ]
    log.write_text("".join(blocks))
    named = {**rule, "commands": [one for one in rule["commands"] if one not in RESCUED]}
    source.write_text(json.dumps({"version": 1, "contact": "admins", "rules": [named]}))
    words = [str(log), "--policy", str(source), "--each", str(verdict_file)]
    result = CliRunner().invoke(replay, words, standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 0
    answers = [json.loads(line) for line in verdict_file.read_text().splitlines()]
    verdicts = {(answer["line"] - 1) // LINES_OF_A_BLOCK: answer["verdict"] for answer in answers}
    for number, case in enumerate(logged):
        assert verdicts.get(number, "allow") == case["verdict"], case


LINES_OF_A_BLOCK = 3
RESCUED = {"login", "info", "user", "passwd", "protect", "triggers", "monitor"}


def _name(case: Case) -> str:
    return str(case.get("command", "fstat")).removeprefix("user-")
