"""Tests of command rules that store no state: their case files, judged by the built gate.

`cargo test` runs the same cases. A case has the fields of an event, and the expected parts of the
verdict.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate.program import judge, policy

CASES = Path(__file__).parents[1] / "cases"
RULES = ("block_client_program", "limit_command_scope")
FILES = [file for rule in RULES for file in sorted((CASES / rule).glob("*.json"))]
DOCUMENT_KEYS = {"why", "mode", "settings", "facts", "event", "cases"}
ANSWER_KEYS = {"name", "verdict", "value", "limit", "problem", "fix"}


def event(document: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in case.items() if key not in ANSWER_KEYS}
    common = {"event": "command", "command": "fstat", "user": "ann", "id": case["name"]}
    return {**common, **document.get("event", {}), **own}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_file_of_command_cases_gets_the_expected_verdicts(file: Path, tmp_path: Path) -> None:
    document = json.loads(file.read_text("utf-8"))
    assert set(document) <= DOCUMENT_KEYS
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps(document.get("facts", {})))
    mode = document.get("mode", "enforce")
    kind = {"name": "the-rule", "rule": file.parent.name, "mode": mode}
    cases = document["cases"]

    answers, code = judge(
        policy({**kind, **document["settings"]}),
        [event(document, case) for case in cases],
        f"--facts={facts}",
    )

    assert code == 0
    for case, answer in zip(cases, answers, strict=True):
        report = (case["name"], answer)
        assert answer["verdict"] == case["verdict"], report
        assert answer["rule"] == ("the-rule" if case["verdict"] != "allow" else None), report
        findings = answer["findings"]
        assert len(findings) == (case["verdict"] in ("refuse", "observe")), report
        assert (answer["delay_s"], answer["retry_after_s"]) == (None, None)
        for key in {"value", "limit"} & set(case):
            assert findings[0][key] == case[key], report
        assert case.get("problem", "") in (answer["detail"] or ""), report
        assert case.get("fix", answer["fix"]) == answer["fix"], report


def test_command_rules_have_enough_cases_of_both_verdicts() -> None:
    verdicts: Counter[tuple[str, str]] = Counter()
    for file in FILES:
        cases = json.loads(file.read_text("utf-8"))["cases"]
        verdicts.update((file.parent.name, case["verdict"]) for case in cases)
    assert verdicts["limit_command_scope", "refuse"] >= 60
    assert verdicts["limit_command_scope", "allow"] >= 30
    assert verdicts["block_client_program", "refuse"] >= 15
    assert verdicts["block_client_program", "allow"] >= 10
