"""Tests of policies shipped with p4warden: a source for each number, no warnings, a case file.

Also that two of them have every rule in one mode.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.policy.check import check_file
from p4warden.rules import RULES
from support.sources import unsourced

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

FOLDER = Path(__file__).parents[2] / "policies"
POLICIES = sorted(f for f in FOLDER.glob("*.yaml") if ".cases." not in f.name)
TODAY = datetime.date(2026, 11, 21)


def policy(name: str) -> Policy:
    policy = check_file(str(FOLDER / name), TODAY).policy
    assert policy is not None
    return policy


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_every_number_of_a_shipped_policy_has_a_source(file: Path) -> None:
    assert unsourced(file.read_text("utf-8")) == []


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_policy_has_no_warnings(file: Path) -> None:
    assert check_file(str(file), TODAY).warnings == ()


@pytest.mark.parametrize("file", POLICIES, ids=lambda file: file.stem)
def test_a_shipped_policy_has_a_case_file(file: Path) -> None:
    assert file.with_suffix(".cases.yaml").exists()


@pytest.mark.parametrize(
    ("name", "mode"), [("observe-everything.yaml", "observe"), ("strict.yaml", "enforce")]
)
def test_observe_everything_and_strict_contain_every_rule_in_a_single_mode(
    name: str, mode: str
) -> None:
    rules = policy(name).rules
    assert {rule.mode for rule in rules} == {mode}
    assert {rule.rule for rule in rules} == {*RULES}


@pytest.mark.parametrize(
    ("comment", "settings", "missing"),
    [
        ('max 500 ("A Paper", Conference 2009)', "max: 500", []),
        ("max 500: our choice: enough", "max: 500", []),
        ("500 was seen (someone's issue 12)", "max: 500", []),
        ("this server has 400 of 500", "max: 500", []),
        ("max 500", "max: 500", ["a: 500"]),
        ("max 500: our choice", "max: 500", ["a: 500"]),
        ("max 1500, 500.5: our choice: enough", "max: 500", ["a: 500"]),
        ("max 5: our choice: enough", "max: 500", ["a: 500"]),
        ("allow 5 per 1s: our choice: enough", "allow: 5 per 2s", ["a: 2"]),
        ("share 0.8: our choice: enough", "max_share: 0.8", []),
        ("share 0.8: our choice: enough", 'max_delay: "3s"', ["a: 3"]),
        ("share 0.8: our choice: enough", "submits: true", []),
        ("share 0.8: our choice: enough", 'below: "2019.2"', ["a: 2019.2"]),
        ("", "depots: {x: 7}", ["a: 7"]),
    ],
)
def test_a_number_without_a_source_in_its_comment_is_reported(
    comment: str, settings: str, missing: list[str]
) -> None:
    text = f"rules:\n  # {comment}\n  - name: a\n    {settings}\n  # 7 is another rule's\n"
    assert unsourced(text) == missing
    assert unsourced(f"rules:\n  - name: a\n    {settings}  # {comment}\n") == missing
