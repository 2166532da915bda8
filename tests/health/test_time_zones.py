"""Tests of the line of `doctor` about the time zones in the running policy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.health import GOOD, WARNING, Check, CheckedInstallation, running_policy
from p4warden.home import trusted_files
from p4warden.policy.compiled import FILE_NAME, compile_policy, dumps
from support.home_files import policy_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BERLIN = {"from": "22:00", "to": "06:00", "zone": "Europe/Berlin"}
RULE = {"name": "scope", "rule": "limit_view_scope", "mode": "enforce"}


@pytest.fixture
def home(tmp_path: Path) -> str:
    home = str(tmp_path / "home")
    trusted_files.make(home)
    return home


def text(selector: Mapping[str, Any], year: int = 2026) -> str:
    rules = [{**RULE, "for": selector}]
    return dumps(compile_policy({"contact": "admins", "rules": rules}, "0" * 64), year)


def checks(home: str, policy: str, now_s: int = 0) -> list[Check]:
    trusted_files.replace(home, FILE_NAME, policy_file(policy))
    return [*running_policy.time_zones(CheckedInstallation(home, now_s * 10**9))]


@pytest.mark.parametrize("year", [2020, 2026])
def test_zones_that_change_as_this_machine_knows_them_are_good(home: str, year: int) -> None:
    for selector in ({"hours": BERLIN}, {"groups": ["a"], "not": {"hours": BERLIN}}):
        [check] = checks(home, text(selector, year))
        assert (check.state, check.message) == (GOOD, "Europe/Berlin as in the active policy")


def test_a_zone_whose_changes_differ_is_outdated(home: str) -> None:
    document = json.loads(text({"hours": [BERLIN, {**BERLIN, "zone": "UTC"}]}))
    hours = document["rules"][0]["for"]["hours"]
    hours[0]["zone"]["changes"][1][0] += 3600
    [check] = checks(home, json.dumps(document))
    assert check.state == WARNING
    assert check.message == (
        "the changes of the clock in the active policy are outdated: Europe/Berlin"
    )
    assert check.remedy == f"p4warden activate POLICY --home {home}  # writes the present ones"


def test_a_zone_whose_known_changes_end_within_a_year_is_outdated(home: str) -> None:
    policy = text({"hours": BERLIN}, 2026)
    states = [checks(home, policy, now_s)[0].state for now_s in (2_082_000_000, 2_084_000_000)]
    assert states == [GOOD, WARNING]


def test_a_zone_that_this_machine_lacks_is_outdated(home: str) -> None:
    policy = text({"hours": BERLIN}).replace("Europe/Berlin", "Europe/Nowhere")
    [check] = checks(home, policy)
    assert (check.state, check.message.rpartition(" ")[2]) == (WARNING, "Europe/Nowhere")


def test_a_policy_without_hours_has_no_line_about_zones(home: str) -> None:
    assert checks(home, text({"groups": ["a"]})) == []
