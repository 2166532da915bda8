"""Tests of exemptions: the cases of `tests/cases/exemptions`, judged as forms and as commands."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gate.program import judge
from p4warden.judge.engine import evaluate
from p4warden.policy import compiled
from support.python_events import event_from, facts_from, verdict_to

FILES = sorted((Path(__file__).parents[1] / "cases" / "exemptions").glob("*.json"))
WHOLE_DEPOT = "Client:\ta-form\n\nView:\n\t//depot/... //a-form/...\n"


def cases() -> list[Any]:
    results = []
    for file in FILES:
        document = json.loads(file.read_text("utf-8"))
        assert set(document) <= {"why", "policy", "facts", "zone", "cases"}, file
        results += [
            pytest.param(document, case, id=f"{file.stem}: {case['name']}")
            for case in document["cases"]
        ]
    return results


@pytest.mark.parametrize(("document", "case"), cases())
def test_an_exemption_case_as_a_form_gets_the_expected_verdict(
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


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_exemption_cases_as_forms_get_the_expected_verdicts_from_the_gate(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(file.read_text("utf-8"))
    monkeypatch.setenv("TZ", document.get("zone", "UTC0"))
    form = {"event": "form-save", "type": "client", "name": "a-form", "form": WHOLE_DEPOT}
    events = [form | {"facts": document["facts"]} | case["event"] for case in document["cases"]]
    answers, code = judge(document["policy"], events)
    assert code == 0, answers
    for case, answer in zip(document["cases"], answers, strict=True):
        assert answer["verdict"] == case["verdict"], case["name"]
        assert (answer["exemption"] is not None) == case["exemption"], case["name"]
        assert answer["rule"] == case.get("rule", answer["rule"]), case["name"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_exemption_cases_as_commands_get_the_expected_verdicts(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judge the command of each exemption case twice, and check the second verdict.

    The first command is within the rate. Each case has its own gate process, so that the rates of
    one case do not affect another one.
    """
    document = json.loads(file.read_text("utf-8"))
    monkeypatch.setenv("TZ", document.get("zone", "UTC0"))
    common_fields = {"event": "command", "command": "fstat", "facts": document["facts"]}
    for case in document["cases"]:
        (_, answer), code = judge(document["policy"], [common_fields | case["event"]] * 2)
        assert code == 0
        assert answer["verdict"] == case["verdict"], case["name"]
        assert (answer["exemption"] is not None) == case["exemption"], case["name"]
        assert answer["rule"] == case.get("rule", answer["rule"]), case["name"]


def local_day(time_s: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time_s))


def test_exemptions_have_enough_cases_of_all_verdicts() -> None:
    verdicts = [parameters.values[1]["verdict"] for parameters in cases()]
    assert len(verdicts) >= 70
    assert verdicts.count("allow") >= 30
    assert verdicts.count("refuse") >= 30
    assert "observe" in verdicts
