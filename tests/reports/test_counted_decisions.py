"""Tests of decisions that the gate has only counted: their day and their program."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from p4warden.core import shipped_yaml
from p4warden.reports import brief
from p4warden.reports.counted_decisions import completed
from p4warden.reports.decision_record import Decision, decision, unwritten_decision
from p4warden.reports.figures import gather

CASES = shipped_yaml.load(
    (Path(__file__).parents[1] / "cases" / "reports" / "counted_decisions.yaml").read_text()
)["cases"]


def day_of(time_s: float) -> str:
    return datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%Y-%m-%d")


def timed(record: dict[str, Any]) -> dict[str, Any]:
    moment = datetime.datetime.fromisoformat(f"{record['time']}+00:00")
    return {**record, "time": moment.timestamp()}


def decisions(case: dict[str, Any]) -> list[Decision]:
    logged = [decision(timed(record)) for record in case["logged"]]
    counted = [unwritten_decision(timed(entry)) for entry in case.get("counted", ())]
    return list(completed(one for one in [*logged, *counted] if one))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_counted_decisions_are_of_their_day_and_program(case: dict[str, Any]) -> None:
    every = decisions(case)
    for day, expected in case["brief"].items():
        of_day = [one for one in every if day_of(one.time_s) == str(day)]
        assert brief.text(gather(of_day, day_of), str(day), "s") == expected
    counts: Counter[tuple[Any, ...]] = Counter()
    for one in every:
        if not one.is_trial:
            day = day_of(one.time_s)
            counts[one.user, day, one.prog, one.ip, one.spec_or_client] += one.times
    expected_rows = [
        (user, str(day), prog, ip, spec, count)
        for user, day, count, prog, ip, spec in case["rows"]
    ]
    assert sorted(map(str, [(*key, count) for key, count in counts.items()])) == sorted(
        map(str, expected_rows)
    )
