"""Test that commands which no rule can judge are counted by rule, command and form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from gate.program import policy
from p4warden.commands.report import report

if TYPE_CHECKING:
    from gate.program import Home

SCOPE = {"name": "wide", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 2}


def test_the_report_counts_unjudged_commands_by_form(gate_home: Home) -> None:
    gate_home.activate(policy(SCOPE | {"commands": ["fstat"]}))
    for user in ("ann", "bob", "ann"):
        assert gate_home.fstat("--args=-e 740 -Ol //depot/...", user=user).code == 0
    assert gate_home.fstat("--args=//depot/...@740,#head").code == 0
    assert gate_home.fstat().code == 0
    result = CliRunner().invoke(report, ["--home", str(gate_home.folder)], standalone_mode=False)
    assert result.exception is None
    lines = [line.split() for line in result.output.splitlines()]
    assert ["wide:", "fstat", "-e", "-Ol", "PATH", "3"] in [line[:6] for line in lines]
    assert ["wide:", "fstat", "PATH@N,M", "1"] in [line[:4] for line in lines]
    assert ["wide:", "fstat", "1"] in [line[:3] for line in lines]


def test_a_user_with_many_forms_fills_few_lines(gate_home: Home) -> None:
    gate_home.activate(policy(SCOPE | {"commands": ["fstat"]}))
    for number in range(40):
        letters = "".join(chr(ord("a") + int(bit)) for bit in f"{number:06b}")
        words = ("--args=-e 1 -G" + letters + " //depot/...", "--ip=10.0.0.1")
        assert gate_home.fstat(*words).code == 0
    assert len(gate_home.log()) <= 20
    assert gate_home.counts()["unknown"] == 40
