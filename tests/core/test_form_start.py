"""Tests of finding a form in the output of `p4 TYPE -o`, by cases."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from p4warden.core.form_start import without_text_before

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "form_starts" / "cases.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_stands_before_a_form_is_no_part_of_it(case: dict[str, Any]) -> None:
    assert without_text_before(case["printed"] + case["form"], case["field"]) == case["form"]
