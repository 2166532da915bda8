"""Tests of the messages for common mistakes in a policy; cases: tests/cases/policy_mistakes."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core import shipped_yaml
from p4warden.policy.check import check_file

FILE = Path(__file__).parents[1] / "cases" / "policy_mistakes" / "mistakes.yaml"
CASES: list[dict[str, Any]] = shipped_yaml.load(FILE.read_text("utf-8"))
TODAY = datetime.date(2026, 11, 21)


def policy_text(case: dict[str, Any]) -> str:
    if "policy" in case:
        return str(case["policy"])
    [part] = case.keys() & {"rules", "exemptions"}
    return f"version: 1\ncontact: admins\n{part}:\n{case[part]}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_common_mistake_is_reported_as_in_its_case(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(policy_text(case), "utf-8")
    report_of_file = check_file(str(file), TODAY)
    assert [report.line("")[1:] for report in report_of_file.problems] == case.get("problems", [])
    assert [report.line("")[1:] for report in report_of_file.warnings] == case.get("warnings", [])
    assert report_of_file.problems or report_of_file.warnings


def test_at_least_40_mistakes_have_cases_with_unique_names() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len({*names}) >= 40


ROOT = Path(__file__).parents[2]
SHIPPED = [
    (ROOT / "policies" / f"{name}.yaml").read_text("utf-8")
    for name in ("default", "strict", "observe-everything", "observe-arguments")
]
slips = st.tuples(
    st.floats(0, 1),
    st.integers(0, 3),
    st.sampled_from(["", " ", "\t", "\n", '"', "[", "}", ": ", "-", "#"]),
)


@given(st.sampled_from(SHIPPED), st.lists(slips, min_size=1, max_size=3))
def test_random_edits_of_a_policy_are_reported_with_valid_lines_and_columns(
    tmp_path_factory: pytest.TempPathFactory, text: str, edits: list[tuple[float, int, str]]
) -> None:
    for place, length, insertion in edits:
        at = int(place * len(text))
        text = text[:at] + insertion + text[at + length :]
    file = tmp_path_factory.mktemp("slips") / "policy.yaml"
    file.write_text(text, "utf-8")
    report_of_file = check_file(str(file), TODAY)
    assert (report_of_file.policy is None) == bool(report_of_file.problems)
    last = text.count("\n") + 2
    assert all(
        1 <= report.mark.line <= last and report.mark.column >= 1
        for report in report_of_file.problems
    )


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 100)
    | st.floats(0, 2)
    | st.sampled_from(
        ["", "x", "50/s", "enforce", "limit_view_scope", "*", "2026-01-01", "80%", "fstat", "a: b"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "rule", "mode", "users", "limits", "allow", "per", "depots", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
keys = st.sampled_from(
    [
        "name",
        "rule",
        "mode",
        "canary",
        "for",
        "hours",
        "not",
        "classes",
        "commands",
        "limits",
        "depots",
        "views",
        "min_depth",
        "until",
    ]
)


@given(st.dictionaries(keys, values, max_size=6), st.dictionaries(keys, values, max_size=4))
def test_random_values_of_a_rule_and_an_exemption_are_reported_as_problems(
    tmp_path_factory: pytest.TempPathFactory, rule: dict[str, Any], exemption: dict[str, Any]
) -> None:
    file = tmp_path_factory.mktemp("shapes") / "policy.yaml"
    document = {"version": 1, "contact": "x", "rules": [rule], "exemptions": [exemption]}
    file.write_text(yaml.safe_dump(document), "utf-8")
    assert check_file(str(file), TODAY).problems
