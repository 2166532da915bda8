"""Tests of the commands in `docs/incident.md`, which answer the questions of an incident."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from p4warden.commands.log import log as log_command
from p4warden.core import shipped_yaml

CASES = Path(__file__).parents[1] / "cases" / "incident"
PAGE = Path(__file__).parents[2] / "docs" / "incident.md"
ANSWERS = shipped_yaml.load((CASES / "answers.yaml").read_text())


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["command"])
def test_each_command_for_an_incident_prints_the_expected_rows(
    database: str, case: dict[str, Any]
) -> None:
    words = ["report", *shlex.split(case["command"]), "--json", "--database", database]
    result = CliRunner().invoke(log_command, words, standalone_mode=False)
    assert result.exception is None, result.exception
    results = [json.loads(line) for line in result.stdout.splitlines()]
    names = [list(row) for row in case["rows"]]
    assert len(results) == len(case["rows"])
    values = [
        {name: row[name] for name in columns} for row, columns in zip(results, names, strict=True)
    ]
    assert values == case["rows"]


def test_the_incident_page_lists_each_tested_command_once() -> None:
    report = re.findall(r"`p4warden log report ([^`]+)`", PAGE.read_text())
    assert report == list(dict.fromkeys(report))
    assert set(report) == {case["command"] for case in ANSWERS}
    assert len(report) >= 10
