"""Mistakes that administrators make in a policy: `tests/cases/policy_mistakes`."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from p4warden.policy.check import check_file

FILE = Path(__file__).parents[1] / "cases" / "policy_mistakes" / "mistakes.yaml"
CASES: list[dict[str, Any]] = yaml.safe_load(FILE.read_text("utf-8"))
TODAY = datetime.date(2026, 11, 21)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_message_names_the_line_and_the_right_spelling(
    case: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(case["policy"], "utf-8")
    checked = check_file(str(file), TODAY)
    assert [told.line("")[1:] for told in checked.problems] == case.get("problems", [])
    assert [told.line("")[1:] for told in checked.warnings] == case.get("warnings", [])
    assert checked.problems or checked.warnings


def test_no_two_cases_have_one_name() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len({*names}) >= 40
