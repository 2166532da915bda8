"""Tests of the decision records that the form worker writes to decisions.jsonl.

`triggers/gate/tests/decision_records.rs` runs the same cases on the records that the gate writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.core.records import Facts
from p4warden.home import decisions
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy
from p4warden.reports.decision_record import decision
from p4warden.worker import arguments
from support.python_events import event_from

CASES = Path(__file__).parents[1] / "cases" / "decision_records"
RECORDS = json.loads((CASES / "records.json").read_text("utf-8"))
FIELDS = json.loads((CASES / "fields.json").read_text("utf-8"))["fields"]
TYPES: dict[str, Any] = {
    "text": (str,),
    "number": (int, float),
    "number or text": (int, float, str),
    "true": (bool,),
}


@pytest.fixture(autouse=True)
def _no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("P4WARDEN_RECORD", raising=False)


def line(home: Path, record: dict[str, Any]) -> list[tuple[str, Any]]:
    """Write a record to the decision log; check its fields; return all but the time, in order."""
    decisions.deliver(str(home), record, 1_800_000_000_123_456_789)
    [text] = (home / decisions.FILE_NAME).read_text("utf-8").splitlines()
    fields: dict[str, Any] = json.loads(text)
    assert decision(fields) is not None
    fields_of_worker = [
        (name, kind) for name, kind, writer in FIELDS if writer in ("both", "worker")
    ]
    assert list(fields) == [name for name, _ in fields_of_worker if name in fields]
    for name, kind in fields_of_worker:
        assert isinstance(fields.get(name, TYPES[kind][0]()), TYPES[kind]), name
    assert fields.pop("time") == 1_800_000_000.123
    return list(fields.items())


@pytest.mark.parametrize("case", RECORDS["forms"], ids=lambda case: case["name"])
def test_a_form_decision_is_recorded_as_in_its_case(case: dict[str, Any], tmp_path: Path) -> None:
    document = {"contact": "c", "rules": [case["rule"]], "exemptions": case.get("exemptions", [])}
    policy = compile_policy(document, "0" * 64)
    event = event_from(case["event"], lambda _: "2026-11-21")
    event = event._replace(is_trial=case.get("trial", False))
    outcome = evaluate(policy, event, Facts())
    assert line(tmp_path, decisions.decision(event, outcome, "0" * 64)) == list(
        case["record"].items()
    )


@pytest.mark.parametrize("case", RECORDS["faults"], ids=lambda case: case["name"])
def test_a_fault_is_recorded_as_in_its_case(case: dict[str, Any], tmp_path: Path) -> None:
    parsed_arguments = arguments.parse(case["given"])
    names = {
        name: parsed_arguments.get(name) for name in ("type", "name", "change", "user", "client")
    }
    verdict = "refuse" if case["refuses"] else "allow"
    record = decisions.fault(
        {"event": parsed_arguments.event, **names}, verdict, case["fault"], None
    )
    assert line(tmp_path, record) == list(case["record"].items())


def test_reports_read_the_decision_records_of_the_gate() -> None:
    for case in RECORDS["commands"]:
        entry = decision({"time": 1_800_000_000, **case["record"]})
        assert entry is not None
        figures = (entry.verdict, entry.user, entry.rule, entry.is_trial)
        record = case["record"]
        assert figures == (record["verdict"], record["user"], "r", "trial" in record)
