"""The cases of `tests/cases/limit_view_scope`: each a test by being there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from p4warden.engine import evaluate
from p4warden.event_lines import event_from, facts_from, verdict_to
from p4warden.policy.compiled import Policy, compile_policy

FOLDER = Path(__file__).parents[1] / "cases" / "limit_view_scope"
FILES = sorted(FOLDER.glob("*.yaml"))


def policy(settings: dict[str, Any]) -> Policy:
    rule = {"name": "scope", "rule": "limit_view_scope", "mode": "enforce", **settings}
    return compile_policy({"contact": "admins", "rules": [rule]}, digest="0" * 64)


def form_of(document: dict[str, Any], case: dict[str, Any]) -> str:
    if "form" in case:
        return str(case["form"])
    field = "Paths" if document.get("type") == "stream" else "View"
    return f"Name:\tx\n\n{field}:\n" + "".join(f"\t{line}\n" for line in case["view"])


def cases() -> list[Any]:
    found = []
    for file in FILES:
        document = yaml.safe_load(file.read_text("utf-8"))
        assert set(document) <= {"why", "type", "name", "settings", "facts", "cases"}, file
        found += [
            pytest.param(document, case, id=f"{file.stem}: {case['name']}")
            for case in document["cases"]
        ]
    return found


@pytest.mark.parametrize(("document", "case"), cases())
def test_case(document: dict[str, Any], case: dict[str, Any]) -> None:
    line = {
        "event": "form-save",
        "type": document.get("type", "client"),
        "name": document.get("name", "ws"),
        "form": form_of(document, case),
        "facts": document.get("facts", {}),
    }
    event, facts = event_from(line, lambda _: "2026-11-21"), facts_from(line)

    answer = verdict_to("1", evaluate(policy(document["settings"]), event, facts))

    assert answer["verdict"] == case["verdict"], answer
    if "value" in case:
        assert answer["findings"][0]["value"] == case["value"]
    if "says" in case:
        assert case["says"] in answer["findings"][0]["what"]
    if "fix" in case:
        proposed = answer["findings"][0]["fix"]
        assert proposed[: len(case["fix"])] == case["fix"]
        assert bool(proposed) == bool(case["fix"])


def test_there_are_enough_cases_of_both_verdicts() -> None:
    verdicts = [parameters.values[1]["verdict"] for parameters in cases()]
    assert len(verdicts) >= 60
    assert verdicts.count("allow") >= 30
