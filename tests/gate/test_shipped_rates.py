"""Tests of the rates in the policies that only observe, on the clock of a working day."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import judge
from p4warden.core.records import Facts
from p4warden.policy import compiled
from p4warden.policy.check import check_file
from p4warden.policy.starter import Survey, starter_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

POLICIES = Path(__file__).parents[2] / "policies"
TODAY = datetime.date(2026, 11, 21)
WORKING_DAY_S = 8 * 3600


@pytest.fixture(params=["default", "observe-everything", "init"])
def policy(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    file = POLICIES / f"{request.param}.yaml"
    if request.param == "init":
        file = tmp_path / "policy.yaml"
        file.write_text(starter_policy(Survey("1666", "admin", "", "", Facts()), TODAY))
    checked = check_file(str(file), TODAY).policy
    assert checked is not None
    document: dict[str, Any] = json.loads(compiled.dumps(checked))
    return document


def fstats(number: int, every_s: float, start_s: float = 1e9) -> Iterator[dict[str, Any]]:
    for place in range(number):
        yield {
            "event": "command",
            "command": "fstat",
            "user": "ann",
            "prog": "VS Code",
            "time": start_s + place * every_s,
        }


def test_one_fstat_a_second_is_found_within_a_working_day(policy: dict[str, Any]) -> None:
    answers, _ = judge(policy, fstats(4 * 3600, 1))
    found = [place for place, answer in enumerate(answers) if answer["verdict"] == "observe"]
    assert {answer["verdict"] for answer in answers} == {"allow", "observe"}
    assert 3 * 3600 < found[0] < 3.5 * 3600


def test_a_refresh_of_200000_files_and_the_work_after_it_are_not_found(
    policy: dict[str, Any],
) -> None:
    refresh = [*fstats(6250, 1 / 50)]
    work = [*fstats(WORKING_DAY_S // 5, 5, start_s=1e9 + 150)]
    answers, _ = judge(policy, [*refresh, *work])
    assert {answer["verdict"] for answer in answers} == {"allow"}


def test_more_than_50_a_second_are_found_at_once(policy: dict[str, Any]) -> None:
    answers, _ = judge(policy, fstats(600, 0.001))
    assert [answer["verdict"] for answer in answers[:500]] == ["allow"] * 500
    assert answers[-1]["verdict"] == "observe"
