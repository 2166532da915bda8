"""Tests of the form rules with the case files tests/cases/RULE, by both engines.

One test per case and engine.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gate.program import judge
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy import meaning, schema
from p4warden.policy.compiled import compile_policy, dumps
from p4warden.rules import RULES
from support.python_events import event_from, facts_from, verdict_to

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(file for rule in RULES for file in (CASES / rule).glob("*.yaml"))
DOCUMENT_KEYS = {
    *("why", "judged_by", "type", "name", "settings", "facts", "event", "mode", "cases"),
}
CASE_KEYS = {"name", "view", "form", "files", "event", "facts"}
ANSWER_KEYS = {"verdict", "value", "limit", "problem", "fix", "only", "shows", "findings"}


class Case(NamedTuple):
    """A case of a rule's case file, with the values that the file's cases share."""

    rule: str
    document: dict[str, Any]
    case: dict[str, Any]

    def policy(self) -> dict[str, Any]:
        settings = self.document["settings"]
        mode = self.document.get("mode", "enforce")
        rule = {"name": "the-rule", "rule": self.rule, "mode": mode, **settings}
        return {"version": 1, "contact": "admins", "rules": [rule]}

    def line(self) -> dict[str, Any]:
        """Return this case as an event for the evaluator."""
        event = {
            "event": "form-save",
            "type": self.document.get("type", "client"),
            "name": self.document.get("name", "ws"),
            "facts": self.case.get("facts", self.document.get("facts", {})),
        }
        event |= self.document.get("event", {})
        event |= self.case.get("event", {})
        if event["event"] == "change-submit":
            del event["type"], event["name"]
        if "files" in self.case:
            pairs = (file.split(" ", 1) for file in self.case["files"])
            return event | {"files": [{"action": a, "path": path} for a, path in pairs]}
        text = self.text()
        return event if text is None else event | {"form": text}

    def text(self) -> str | None:
        if "form" in self.case:
            return str(self.case["form"])
        if "view" not in self.case:
            return None
        field = "Paths" if self.document.get("type") == "stream" else "View"
        lines = "".join(f"\t{line}\n" for line in self.case["view"])
        return f"Name:\tx\n\n{field}:\n{lines}"


def cases() -> list[Any]:
    results = []
    for file in FILES:
        document = yaml.safe_load(file.read_text("utf-8"))
        assert set(document) <= DOCUMENT_KEYS, file
        for case in document["cases"]:
            assert set(case) <= CASE_KEYS | ANSWER_KEYS, (file, case)
            rule_case = Case(file.parent.name, document, case)
            results.append(
                pytest.param(rule_case, id=f"{file.parent.name}/{file.stem}: {case['name']}")
            )
    return results


@pytest.mark.parametrize(
    "rule_case", [case for case in cases() if "judged_by" not in case.values[0].document]
)
def test_a_form_rule_judges_each_case_as_expected(rule_case: Case) -> None:
    line = rule_case.line()
    event, facts = event_from(line, lambda _: "2026-11-21"), facts_from(line)

    outcome = evaluate(compile_policy(rule_case.policy(), "0" * 64), event, facts)

    assert outcome.trouble is None
    check(verdict_to("1", outcome), rule_case, line)


@pytest.mark.parametrize("rule_case", cases())
def test_the_gate_judges_each_case_as_expected(rule_case: Case) -> None:
    policy = json.loads(dumps(compile_policy(rule_case.policy(), "0" * 64)))
    line = rule_case.line() | {"time": 1_800_000_000}
    (answer,), code = judge(policy, [line])
    assert code == 0, answer
    check(answer, rule_case, line)


def check(answer: dict[str, Any], rule_case: Case, line: dict[str, Any]) -> None:
    expected = rule_case.case
    assert answer["verdict"] == expected["verdict"], answer
    for key in ("value", "limit"):
        if key in expected:
            assert answer["findings"][0][key] == expected[key]
    if "problem" in expected:
        assert expected["problem"] in answer["findings"][0]["problem"]
    if "findings" in expected:
        assert len(answer["findings"]) == expected["findings"]
    if "fix" in expected:
        proposal = answer["findings"][0]["fix"]
        assert proposal[: len(expected["fix"])] == expected["fix"]
        assert bool(proposal) == bool(expected["fix"])
    if "only" in expected:
        assert answer["findings"][0]["fix"] == expected["only"]
    if line["event"] == "form-out":
        assert displayed_fields(answer["form"], expected["shows"]) == expected["shows"]


def displayed_fields(
    text: str | None, fields: dict[str, list[str]] | None
) -> dict[str, list[str]] | None:
    """Return the requested fields of the form that a rule suggests; None without a suggestion."""
    if text is None or fields is None:
        return None if text is None else {"all": text.splitlines()}
    if "all" in fields:
        return {"all": text.splitlines()}
    form = form_parser.parse(text)
    assert form.problem is None
    return {name: [line.text for line in form.lines(name)] for name in fields}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_policy_of_each_case_file_is_valid(file: Path) -> None:
    policy = Case(file.parent.name, yaml.safe_load(file.read_text("utf-8")), {}).policy()
    assert [*schema.problems(policy), *meaning.problems(policy)] == []


def test_there_are_enough_cases_of_both_verdicts_for_each_rule() -> None:
    verdicts = Counter(
        (rule_case.rule, rule_case.case["verdict"]) for rule_case in (p.values[0] for p in cases())
    )
    assert verdicts.total() >= 200
    for rule in {rule for rule, _ in verdicts}:
        assert verdicts[rule, "allow"] >= 5, rule
        assert verdicts[rule, "refuse"] + verdicts[rule, "observe"] >= 3, rule
