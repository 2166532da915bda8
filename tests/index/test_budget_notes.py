"""Tests of the notes of `check` and `report` on budgets of records."""

from __future__ import annotations

import datetime
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from p4warden.commands.check import check
from p4warden.commands.report import report
from p4warden.policy import compiled
from p4warden.policy.check import check_file
from support.home_files import policy_file
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

POLICY = """version: 1
contact: admins
rules:
  - name: budget
    rule: limit_command_rate
    mode: enforce
    commands: [sync, files]
    weight: files
    unknown_as: 10000
    limits: [{per: [user], allow: 5000000 per 10m, burst: 1000}]
"""
LARGER = "1 client with more files than the burst of 1,000 (wide 1,200)"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return folder


def checked(home: Path) -> str:
    words = [str(home.parent / "policy.yaml"), "--home", str(home)]
    return CliRunner().invoke(check, words, standalone_mode=False).output


def test_check_and_report_name_clients_above_the_burst(home: Path) -> None:
    views = {"wide": ["//depot/... //wide/..."], "small": ["//depot/b/... //small/..."]}
    index = small_index(home.parent, {"//depot/a": 1100, "//depot/b": 100}, views)
    shutil.copy(index, home / "checkpoint.index")
    (home / "checkpoint.index").chmod(0o600)
    assert f"policy.yaml:8:13: note: rules[0].weight: {LARGER}" in checked(home)
    today = datetime.date(2026, 1, 1)
    policy = check_file(str(home.parent / "policy.yaml"), today).policy
    assert policy is not None
    (home / "policy.json").write_bytes(policy_file(compiled.dumps(policy)))
    (home / "policy.json").chmod(0o600)
    output = CliRunner().invoke(report, ["--home", str(home)], standalone_mode=False).output
    assert f"budget: {LARGER}" in output
