"""Tests that proposed commands name p4warden by its path where PATH has none."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.home import own_program
from support.policies import POLICY

if TYPE_CHECKING:
    from support.warden import Warden

PROGRAM = f"{Path(sys.executable).parent}/p4warden"
PROPOSING_NONE = ("on", "refresh")
"""Without a policy, here."""
BARE = re.compile(r"(?<![\w/.-])p4warden (?:activate|check|deploy|doctor|off|on|refresh|follow)\b")


@pytest.mark.parametrize(
    "command",
    [
        ["doctor"],
        ["status"],
        ["metrics"],
        ["activate"],
        ["deploy", "plan"],
        ["off"],
        ["on"],
        ["refresh", "--user", "carol"],
        ["init", "--force", "--output", "{folder}/draft.yaml"],
    ],
    ids=" ".join,
)
def test_every_proposed_command_can_be_pasted(
    command: list[str], warden: Warden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warden.install(POLICY)
    (warden.home / "policy.json").unlink()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    words = [word.format(folder=tmp_path) for word in command]
    output = warden.run(*words, home=command[0] != "init").output
    assert not BARE.search(output), output
    assert (f"{PROGRAM} " in output) == (command[0] not in PROPOSING_NONE), output


def test_a_plan_names_the_next_command_by_its_path(
    warden: Warden, monkeypatch: pytest.MonkeyPatch
) -> None:
    warden.prepare(POLICY)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    output = warden.must("deploy", "plan", code=1)
    assert f"Next:\n  {PROGRAM} deploy apply --home {warden.home}\n" in output


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("run p4warden off --home /h", "run {} off --home /h"),
        ("(p4warden history lists them)", "({} history lists them)"),
        ("2 p4warden lines, p4warden is off", "2 p4warden lines, p4warden is off"),
        ("/opt/p4warden off, p4warden-gate on", "/opt/p4warden off, p4warden-gate on"),
    ],
)
def test_only_commands_are_named_by_the_path(
    text: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_program.named_in(text) == named.replace("{}", "p4warden")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert Path(gate_program.path()).with_name("p4warden").is_file()
    assert own_program.named_in(text) == named.replace("{}", PROGRAM)
