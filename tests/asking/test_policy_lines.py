"""Tests of the needs of trigger lines that `policy.json` keeps for when the gate is gone."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden import __version__
from p4warden.asking import policy_lines
from p4warden.asking.gate_program import GateGoneError
from p4warden.home import active_policy
from p4warden.home.summed_file import text
from p4warden.policy import compiled
from p4warden.policy.compiled import compile_policy, rule_lines
from support.home_files import policy_file

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden.policy.compiled import Policy

RULES = [
    {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client", "label"]},
    {
        "name": "polling",
        "rule": "limit_command_rate",
        "mode": "observe",
        "commands": ["fstat"],
        "limits": [{"per": ["user", "args"], "allow": "9/s", "burst": 4}],
    },
    {"name": "none", "rule": "refuse_commands", "mode": "off", "commands": ["obliterate"]},
]
POLICY = compile_policy({"contact": "admins", "rules": RULES}, "0" * 64)


@pytest.fixture
def active(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fixture: the home of a policy that was activated before the gate went."""
    home = tmp_path / "home"
    active_policy.replace(str(home), POLICY)
    policy_lines.of_rules.cache_clear()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    return home


def policy_in(home: Path) -> Policy:
    return active_policy.policy(str(home))


def test_the_running_policy_needs_no_gate_for_its_lines(active: Path) -> None:
    wide, polling, none = rule_lines(policy_in(active))
    assert wide.events == (("form-save", "client"), ("form-save", "label"))
    assert polling.events == (("command", "fstat"),)
    assert polling.options == {"args"}
    assert polling.least_burst == 4
    assert none.events == ()
    some = policy_in(active)._replace(rules=policy_in(active).rules[1:])
    assert rule_lines(some) == (polling, none)


def test_a_policy_with_another_rule_is_asked_about(active: Path) -> None:
    policy = policy_in(active)
    enforced = tuple(rule._replace(mode="enforce") for rule in policy.rules)
    with pytest.raises(GateGoneError, match="p4warden-gate is missing; without it"):
        rule_lines(policy._replace(rules=enforced))


def test_lines_that_another_release_wrote_are_asked_about(active: Path) -> None:
    file = active / compiled.FILE_NAME
    assert json.loads(file.read_text())["lines"]["release"] == __version__
    file.write_bytes(policy_file(text(file.read_bytes()).replace(f'"{__version__}"', '"0.0.1"')))
    with pytest.raises(GateGoneError):
        rule_lines(policy_in(active))


def test_a_policy_that_was_not_activated_is_written_without_lines() -> None:
    assert "lines" not in json.loads(compiled.dumps(POLICY))
