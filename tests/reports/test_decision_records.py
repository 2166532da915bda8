"""Tests that reports read the decision records of the gate; its own tests run the same cases."""

from __future__ import annotations

import json
from pathlib import Path

from p4warden.reports.decision_record import decision

CASES = Path(__file__).parents[1] / "cases" / "decision_records" / "records.json"


def test_reports_read_the_decision_records_of_the_gate() -> None:
    records = json.loads(CASES.read_text("utf-8"))
    for case in (*records["commands"], *records["forms"]):
        entry = decision({"time": 1_800_000_000, **case["record"]})
        assert entry is not None
        figures = (entry.verdict, entry.user, entry.rule, entry.is_trial)
        assert entry.policy_class == case.get("class")
        record = case["record"]
        assert figures == (record["verdict"], record["user"], "r", "trial" in record)
