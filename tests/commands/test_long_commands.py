"""Tests of the note on rules that need arguments: it names them, and the programs they stop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli
from p4warden.commands.deploy.notes import notes
from p4warden.policy.compiled import compile_policy
from p4warden.rehearse.program_answers import long_commands_note
from p4warden.server.table_form import Server as Described
from p4warden.table.merge import Plan
from p4warden.table.trigger_lines import Installation

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

POLICIES = Path(__file__).parents[2] / "policies"
RATE = {"rule": "limit_command_rate", "limits": [{"per": ["user"], "allow": "1/s"}]}
SHAPE = {"rule": "limit_command_rate", "limits": [{"per": ["user", "shape"], "allow": "1/s"}]}
SCOPE = {"rule": "limit_command_scope"}
PROGRAMS = "; known to send such: Unity (version control plug-in), Unreal editor"


def policy(**rules: dict[str, Any]) -> Policy:
    """Return a policy with these rules by name, on `files` where a rule names no commands."""
    base = {"mode": "observe", "commands": ["files"]}
    entries = [{**base, "name": name, **rule} for name, rule in rules.items()]
    return compile_policy({"contact": "x", "rules": entries}, "0" * 64)


@pytest.mark.parametrize(
    ("rules", "start", "end"),
    [
        ({"a": SCOPE}, "a needs the", "even in mode observe"),
        ({"a": SCOPE, "r": RATE, "b": SHAPE}, "a and b need the", "even in mode observe"),
        ({"a": SCOPE, "r": {**RATE, "commands": ["fstat"]}}, "a needs the", PROGRAMS),
        ({"a": SHAPE, "b": SCOPE, "c": SHAPE}, "a, b and c need the", "even in mode observe"),
    ],
)
def test_the_note_names_the_rules_and_the_programs_that_they_stop(
    rules: dict[str, Any], start: str, end: str
) -> None:
    note = long_commands_note(policy(**rules))
    assert note
    assert note.startswith(start)
    assert note.endswith(end)


def test_a_policy_without_such_rules_has_no_note() -> None:
    assert long_commands_note(policy(r=RATE, a={**SCOPE, "mode": "off"})) is None


@pytest.mark.parametrize("triggers_io", [False, True])
def test_a_plan_has_the_note_unless_arguments_are_written_to_standard_input(
    *, triggers_io: bool
) -> None:
    place = Installation("/opt/gate", "/home", triggers_io)
    server = Described("1666", None, None, None)
    output = [*notes(policy(a=SCOPE), place, server, Plan("", ""))]
    expected = (
        "a needs the arguments of commands: p4d refuses commands with over 128 KiB of them, even "
        "in mode observe."
    )
    assert [note for note in output if "over 128 KiB" in note] == [expected] * (not triggers_io)


def test_check_activate_and_an_offline_plan_have_the_note_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home, table = str(tmp_path / "home"), tmp_path / "table"
    table.write_text("Triggers:\n")
    policy = str(POLICIES / "observe-arguments.yaml")
    for words, code in (
        (["check", policy], 0),
        (["activate", policy], 0),
        (["deploy", "plan", "--offline", str(table)], 1),
    ):
        assert cli.run([*words, "--home", home]) == code
        text = "".join(capfd.readouterr())
        [note] = [line for line in text.splitlines() if "128 KiB" in line]
        assert "note: " in note
        assert "repeated-commands and files-of-others need the arguments" in note
        assert "unless triggers.io is 1, p4d refuses commands with over 128 KiB" in note
    for name in ("default", "observe-everything"):
        assert cli.run(["check", str(POLICIES / f"{name}.yaml"), "--home", home]) == 0
        assert "128 KiB" not in "".join(capfd.readouterr())
