"""Tests of the decision log against forged user names: few lines for each address, none lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gate.program import Home, policy, rate, rule
from p4warden.reports.counting import gather
from p4warden.reports.decision_reader import DecisionReader

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 120
MOST = 16


def test_forged_user_names_of_one_address_share_one_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.activate(policy(rule(rate("ip"))))
    for number in range(COUNT):
        reply = home.fstat("--ip=10.0.0.1", user=f"forged{number}")
        assert reply.code == (1 if number else 0)

    lines = (tmp_path / "decisions.jsonl").read_text().splitlines()
    subjects = gather(DecisionReader(str(tmp_path), 0).lines()).subjects

    assert len(lines) == MOST
    assert {json.loads(line)["ip"] for line in lines} == {"10.0.0.1"}
    assert sum(one.verdicts["refuse"] for one in subjects) == COUNT - 1
    [shared] = [one for one in subjects if one.user == "(many users)"]
    assert shared.values["ip"] == {"10.0.0.1": COUNT - 1 - MOST}


def test_without_a_state_file_forged_user_names_get_few_lines(tmp_path: Path) -> None:
    home = Home(tmp_path)
    scope = {"name": "narrow", "rule": "limit_command_scope", "mode": "enforce"}
    home.activate(policy({**scope, "commands": ["fstat"], "min_depth": 1}))
    (tmp_path / "state").mkdir()
    for number in range(40):
        reply = home.fstat("--ip=10.0.0.1", "--args=//...", user=f"forged{number}")
        assert reply.code == 1
    lines = (tmp_path / "decisions.jsonl").read_text().splitlines()
    assert 1 <= sum('"narrow"' in line for line in lines) <= 8
