"""Tests that reports read the decision records of the gate; its own tests run the same cases."""

from __future__ import annotations

import json
from pathlib import Path

from support.figures import figures_of

CASES = Path(__file__).parents[1] / "cases" / "decision_records" / "records.json"


def test_reports_read_the_decision_records_of_the_gate() -> None:
    records = json.loads(CASES.read_text("utf-8"))
    for case in (*records["commands"], *records["forms"]):
        record = {"time": 1_800_000_000, **case["record"]}
        user, verdict = record["user"], record["verdict"]
        results, is_trial = figures_of(record), "trial" in record
        assert results.sums.trials == int(is_trial)
        counted = [(one.rule, one.user, one.verdicts) for one in results.subjects]
        is_counted = not is_trial and verdict != "allow"
        assert counted == [("r", user, {verdict: 1})] * is_counted
        classes = [f"r: {case['class']}"] if case.get("class") and is_counted else []
        assert [group.name for group in results.classes] == classes
