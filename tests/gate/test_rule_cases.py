"""Tests of the rules about forms and submits with the case files tests/cases/RULE."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from p4warden.policy import meaning, schema, wording
from support.judged import judging_by

CASES = Path(__file__).parents[1] / "cases"
RULES = [file.stem for file in Path(schema.__file__).parent.glob("schema/rules/*.json")]
FILES = sorted(file for rule in RULES for file in (CASES / rule).glob("*.yaml"))
DOCUMENT_KEYS = {*("why", "type", "name", "settings", "facts", "event", "mode", "cases")}
CASE_KEYS = {"name", "view", "form", "files", "event", "facts"}
ANSWER_KEYS = {"verdict", "value", "limit", "problem", "fix", "only", "shows", "findings"}


class CaseFile(NamedTuple):
    """A rule's case file; `document` has the values that its cases share."""

    rule: str
    document: dict[str, Any]

    def cases(self) -> list[dict[str, Any]]:
        cases: list[dict[str, Any]] = self.document["cases"]
        return cases

    def policy(self) -> dict[str, Any]:
        settings = self.document["settings"]
        mode = self.document.get("mode", "enforce")
        rule = {"name": "the-rule", "rule": self.rule, "mode": mode, **settings}
        return {"contact": "admins", "rules": [rule]}

    def event(self, case: dict[str, Any]) -> dict[str, Any]:
        event = {
            "event": "form-save",
            "type": self.document.get("type", "client"),
            "name": self.document.get("name", "ws"),
            "facts": case.get("facts", self.document.get("facts", {})),
            "time": 1_800_000_000,
        }
        event |= self.document.get("event", {})
        event |= case.get("event", {})
        if event["event"] in {"change-submit", "shelve-submit"}:
            del event["type"], event["name"]
        if "files" in case:
            pairs = (file.split(" ", 1) for file in case["files"])
            return event | {"files": [{"action": a, "path": path} for a, path in pairs]}
        text = self.text(case)
        return event if text is None else event | {"form": text}

    def text(self, case: dict[str, Any]) -> str | None:
        if "form" in case:
            return str(case["form"])
        if "view" not in case:
            return None
        field = "Paths" if self.document.get("type") == "stream" else "View"
        lines = "".join(f"\t{line}\n" for line in case["view"])
        return f"Name:\tx\n\n{field}:\n{lines}"


@functools.cache
def read(file: Path) -> CaseFile:
    return CaseFile(file.parent.name, yaml.safe_load(file.read_text("utf-8")))


all_files = pytest.mark.parametrize(
    "file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}"
)


@all_files
def test_each_case_is_judged_as_expected(file: Path) -> None:
    case_file = read(file)
    cases = case_file.cases()
    with judging_by(case_file.policy()) as judge:
        answers = list(judge.answers(map(case_file.event, cases)))
    pairs = zip(cases, answers, strict=True)
    assert [wrong for case, answer in pairs for wrong in differences(case, answer)] == []


def differences(case: dict[str, Any], answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return what an answer has in place of each part that a case expects."""
    first = (answer["findings"] or [{"fix": [], "problem": None}])[0]
    found = {
        "verdict": answer["verdict"],
        "value": first.get("value"),
        "limit": first.get("limit"),
        "problem": first["problem"],
        "findings": len(answer["findings"]),
        "fix": first["fix"],
        "only": first["fix"],
        "shows": shown_fields(answer["form"], case.get("shows")),
    }
    expected = {key: case[key] for key in ANSWER_KEYS & {*case}}
    if answer["form"] is not None:
        expected.setdefault("shows", None)
    return [
        (case["name"], key, found[key], answer)
        for key, wanted in expected.items()
        if not is_as_expected(key, wanted, found[key])
    ]


def is_as_expected(key: str, wanted: Any, found: Any) -> bool:
    match key:
        case "problem":
            return found is not None and wanted in found
        case "fix":
            return bool(found) == bool(wanted) and found[: len(wanted)] == wanted
    return bool(found == wanted)


def shown_fields(text: str | None, fields: dict[str, Any] | None) -> dict[str, list[str]] | None:
    """Return the requested fields of the form that a rule shows; None without one."""
    if text is None:
        return None
    if fields is None or "all" in fields:
        return {"all": text.splitlines()}
    return {name: values(text.splitlines(), name) for name in fields}


def values(lines: list[str], field: str) -> list[str]:
    """Return the values of a field in a form as p4d writes it, in one line or in several."""
    rest = itertools.dropwhile(lambda line: not line.lower().startswith(f"{field}:"), lines)
    of_field = itertools.takewhile(
        lambda line: line.startswith("\t"), itertools.islice(rest, 1, None)
    )
    first = next(line for line in lines if line.lower().startswith(f"{field}:"))
    inline = first.partition(":")[2].strip()
    return [inline] if inline else [line.strip() for line in of_field]


@all_files
def test_a_case_file_has_a_valid_policy_and_known_keys(file: Path) -> None:
    case_file = read(file)
    policy = {"version": 1, **case_file.policy()}
    assert [*wording.problems(policy), *meaning.problems(policy)] == []
    assert {*case_file.document} <= DOCUMENT_KEYS
    for case in case_file.cases():
        assert {*case} <= CASE_KEYS | ANSWER_KEYS, case


def test_there_are_enough_cases_of_both_verdicts_for_each_rule() -> None:
    verdicts = Counter(
        (case_file.rule, case["verdict"])
        for case_file in map(read, FILES)
        for case in case_file.cases()
    )
    assert verdicts.total() >= 200
    for rule in {rule for rule, _ in verdicts}:
        assert verdicts[rule, "allow"] >= 5, rule
        assert verdicts[rule, "refuse"] + verdicts[rule, "observe"] >= 3, rule
