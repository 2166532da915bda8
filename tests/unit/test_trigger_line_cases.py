"""Tests of parsing the arguments of trigger lines in the worker; the gate runs the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.worker import arguments

FOLDER = Path(__file__).parents[1] / "cases" / "trigger_lines"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(FOLDER.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))["cases"]
]


def test_there_are_at_least_45_trigger_line_cases() -> None:
    assert len(CASES) >= 45


@pytest.mark.parametrize("case", CASES)
def test_a_trigger_line_is_parsed_or_counts_as_tampered_as_in_the_case(
    case: dict[str, Any],
) -> None:
    values = arguments.parse(case["words"])
    assert values.event == case["words"][0]
    assert values.has_known_form == case.get("known", True)
    assert values.is_tampered == case.get("tampered", False)
    assert values.options == case["options"]
    assert (list(values.broken_name) if values.broken_name else None) == case.get("broken")
