"""Tests of decisions that the gate has only counted: their day and their program."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from p4warden.core import shipped_yaml
from p4warden.home import gate_counts
from p4warden.reports import brief, counting
from support.figures import lines

CASES = shipped_yaml.load(
    (Path(__file__).parents[1] / "cases" / "reports" / "counted_decisions.yaml").read_text()
)["cases"]


DAY_S = 86400


def timed(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "time": seconds(record["time"])}


def seconds(moment: object) -> float:
    return datetime.datetime.fromisoformat(f"{moment}+00:00").timestamp()


def rows_of(records: list[dict[str, Any]], span: list[str]) -> Counter[tuple[Any, ...]]:
    """Count decisions by user, place of the field in a case's row, and value."""
    results, counts = counting.gather(lines(records), span), Counter[tuple[Any, ...]]()
    for one in results.subjects:
        for place, field in enumerate(("prog", "ip", "spec_or_client")):
            counts.update({(one.user, place, name): n for name, n in one.values[field].items()})
    counts.update({(use.user, 2, use.form_client): use.times for use in results.exempt_uses})
    return counts


def expected_rows(case: dict[str, Any], day: object) -> Counter[tuple[Any, ...]]:
    counts = Counter[tuple[Any, ...]]()
    for user, of_day, count, *values in case["rows"]:
        named = {(user, place, value): count for place, value in enumerate(values) if value}
        counts.update(named if of_day == day else {})
    return counts


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_counted_decisions_are_of_their_day_and_program(case: dict[str, Any]) -> None:
    counted = gate_counts.owed_records({"owed": case.get("counted", ())})
    records = [*map(timed, [*case["logged"], *counted])]
    for day in {*case["brief"], *(row[1] for row in case["rows"])}:
        start_s = seconds(f"{day} 00:00:00")
        span = [f"--since={start_s}", f"--until={start_s + DAY_S}"]
        if day in case["brief"]:
            stops = brief.gather(lines(records), span)
            assert brief.text(stops, str(day), "s") == case["brief"][day]
        assert rows_of(records, span) == expected_rows(case, day)
