"""The cases of `tests/cases/exemptions`, judged as forms; `cargo test` judges them as commands."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from p4warden.engine import evaluate
from p4warden.event_lines import event_from, facts_from, verdict_to
from p4warden.policy import compiled

FOLDER = Path(__file__).parents[1] / "cases" / "exemptions"
WHOLE_DEPOT = "Client:\ta-form\n\nView:\n\t//depot/... //a-form/...\n"


def cases() -> list[Any]:
    found = []
    for file in sorted(FOLDER.glob("*.json")):
        document = json.loads(file.read_text("utf-8"))
        assert set(document) <= {"why", "policy", "facts", "zone", "cases"}, file
        found += [
            pytest.param(document, case, id=f"{file.stem}: {case['name']}")
            for case in document["cases"]
        ]
    return found


@pytest.mark.parametrize(("document", "case"), cases())
def test_case(
    document: dict[str, Any], case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"event": "form-save", "type": "client", "name": "a-form", "form": WHOLE_DEPOT}
    policy = compiled.loads(json.dumps(document["policy"]))
    with monkeypatch.context() as zone:
        zone.setenv("TZ", document.get("zone", "UTC0"))
        time.tzset()
        event = event_from({**form, **case["event"]}, local_day)
    time.tzset()

    answer = verdict_to("1", evaluate(policy, event, facts_from(document)))

    assert answer["verdict"] == case["verdict"], answer
    assert (answer["exemption"] is not None) == case["exemption"]
    if "rule" in case:
        assert answer["rule"] == case["rule"]


def local_day(time_s: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time_s))


def test_there_are_enough_cases_of_all_verdicts() -> None:
    verdicts = [parameters.values[1]["verdict"] for parameters in cases()]
    assert len(verdicts) >= 70
    assert verdicts.count("allow") >= 30
    assert verdicts.count("refuse") >= 30
    assert "observe" in verdicts
