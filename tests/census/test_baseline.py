"""Tests of the baseline of a census: the cases of `tests/cases/baseline`, and the file format.

Also of its use by the evaluator, and of the rules that accept `baseline`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gate.program import judge
from p4warden.census.verdicts import BaselineCollector
from p4warden.core import facts as core_facts
from p4warden.core.records import Event, Facts
from p4warden.forms import form_parser
from p4warden.judge import baseline
from p4warden.judge.engine import evaluate
from p4warden.policy import compiled, meaning, schema
from support.python_events import event_from, facts_from, verdict_to

SATURDAY_S = 1_795_262_400
"""Noon of 2026-11-21 in UTC."""
CASES = Path(__file__).parents[1] / "cases" / "baseline"


def cases() -> list[Any]:
    results = []
    for file in sorted(CASES.glob("*.yaml")):
        document = yaml.safe_load(file.read_text("utf-8"))
        results += [
            pytest.param(document, case, id=f"{file.stem}: {case['name']}")
            for case in document["cases"]
        ]
    return results


def saved(name: str, text: str, spec_type: str = "client") -> Event:
    return Event(
        "form-save", "2026-11-21", type=spec_type, name=name, form=form_parser.parse(text)
    )


@pytest.mark.parametrize(("document", "case"), cases())
def test_a_saved_form_gets_the_expected_findings_with_a_baseline(
    document: dict[str, Any], case: dict[str, Any], tmp_path: Path
) -> None:
    rules = {
        "version": 1,
        "contact": "admins",
        "rules": [document["rule"] | {"baseline": True}],
    }
    assert [*schema.problems(rules), *meaning.problems(rules)] == []
    policy = compiled.loads(compiled.dumps(compiled.compile_policy(rules, "0" * 64)))
    facts = core_facts.from_document(document.get("facts", {}))
    collector = BaselineCollector()
    collector.add_marks(policy, saved("ws", document["before"]), facts)
    content = baseline.write(collector.specs)

    text = case.get("form", document["before"])
    if "view" in case:
        text = "Client:\tws\n\nView:\n" + "".join(f"\t{line}\n" for line in case["view"])
    event = saved(case.get("spec", "ws"), text, case.get("type", "client"))
    expected = baseline.key(event.type or "", event.name or "", facts)
    marks = baseline.find(reader(content), len(content), expected)
    now = core_facts.from_document(case["facts"]) if "facts" in case else facts
    check(verdict_to(1, evaluate(policy, event, now._replace(baseline=marks))), case)
    (tmp_path / "baseline.json").write_bytes(content)
    line = {"event": "form-save", "type": event.type, "name": event.name, "form": text}
    line |= {"time": SATURDAY_S, "facts": case.get("facts", document.get("facts", {}))}
    written = json.loads(compiled.dumps(policy))
    (judged,), _ = judge(written, [line], "--baseline", str(tmp_path / "baseline.json"))
    check(judged, case)


def check(answer: dict[str, Any], case: dict[str, Any]) -> None:
    assert answer["verdict"] == case["verdict"], answer
    for problem, finding in zip(case.get("problems", ()), answer["findings"], strict=False):
        assert problem in finding["problem"]
    if "item" in case:
        assert [finding["item"] for finding in answer["findings"]] == [case["item"]]
    if answer["verdict"] == "observe":
        assert all(one["problem"].endswith("(in the baseline)") for one in answer["findings"])


def reader(content: bytes) -> Any:
    return lambda at, size_bytes: content[at : at + size_bytes]


KEYS = st.text(max_size=40).map(lambda name: f"client/{name}")
MARKS = st.dictionaries(
    st.tuples(
        st.text(max_size=5),
        st.text(max_size=5),
        st.text(max_size=9) | st.text(max_size=1).map(lambda text: text * 9000),
    ),
    st.none() | st.integers(),
    min_size=1,
    max_size=4,
)


@given(st.dictionaries(KEYS, MARKS, max_size=12), KEYS)
def test_exactly_the_specs_of_a_baseline_file_are_found(specs: dict[str, Any], other: str) -> None:
    content = baseline.write(specs)
    document = json.loads(content)
    assert document["specs"].keys() == specs.keys()
    for name, marks in specs.items():
        assert baseline.find(reader(content), len(content), name) == marks
    assert baseline.find(reader(content), len(content), other) == specs.get(other, {})


def test_a_spec_among_100_000_is_found_with_few_reads() -> None:
    mark = ("no-whole-depot", "View line", "//depot/...\t//ws/...")
    specs = {f"client/ws-{number:06}": {mark: number} for number in range(100_000)}
    content = baseline.write(specs)
    sizes: list[int] = []

    def read_at(at: int, size_bytes: int) -> bytes:
        sizes.append(size_bytes)
        return content[at : at + size_bytes]

    for number in (0, 1, 4321, 99_999):
        assert baseline.find(read_at, len(content), f"client/ws-{number:06}") == {mark: number}
    assert baseline.find(read_at, len(content), "client/ws-1234567") == {}
    assert sum(sizes) < 5 * 300 * 1024
    assert len(sizes) < 5 * 40


def test_a_spec_between_two_long_specs_is_found() -> None:
    def specs(length: int) -> dict[str, dict[tuple[str, str, str], int | None]]:
        items = {"client/a": 20_000, "client/b": 1, "client/c": length}
        return {name: {("r", "View line", "x" * item): 0} for name, item in items.items()}

    middle = baseline.write(specs(0)).index(b'"client/b"')
    expected = specs(2 * middle - len(baseline.write(specs(0))))
    content = baseline.write(expected)
    assert len(content) == 2 * content.index(b'"client/b"')
    for name, marks in expected.items():
        assert baseline.find(reader(content), len(content), name) == marks


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b'{"format": 1, "specs": {\n', b'{"format": 2, "specs": {\n"client/ws": ['],
)
def test_a_damaged_file_is_distinguished_from_a_file_without_the_spec(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        baseline.find(reader(content), len(content), "client/ws")


def test_all_lines_of_a_wide_view_are_in_the_baseline() -> None:
    rule = {"name": "r", "rule": "limit_view_scope", "mode": "enforce", "baseline": True}
    policy = compiled.compile_policy({"contact": "a", "rules": [rule]}, "0")
    lines = [f"\t//d{number}/... //ws/{number}/...\n" for number in range(300)]
    collector = BaselineCollector()
    collector.add_marks(policy, saved("ws", "View:\n" + "".join(lines)), Facts())
    facts = Facts(baseline=collector.specs["client/ws"])
    for form, verdict in (
        ("".join(reversed(lines)), "observe"),
        ("".join(lines[1:]), "observe"),
        ("".join([*lines, "\t//new/... //ws/new/...\n"]), "refuse"),
    ):
        assert evaluate(policy, saved("ws", f"View:\n{form}"), facts).verdict == verdict


def test_baseline_marks_in_the_facts_of_an_event_are_used() -> None:
    document = {"baseline": [["r", "View line", "//depot/...\t//ws/...", 0]]}
    event = {"event": "form-save", "type": "client", "name": "ws", "facts": document}
    event["form"] = "View:\n\t//depot/... //ws/...\n"
    rule = {"name": "r", "rule": "limit_view_scope", "mode": "enforce", "baseline": True}
    policy = compiled.compile_policy({"contact": "a", "rules": [rule]}, "0")
    facts = facts_from(event)
    assert core_facts.to_document(facts)["baseline"] == document["baseline"]
    assert evaluate(policy, event_from(event, lambda _: "2026-11-21"), facts).verdict == "observe"


def test_baseline_is_a_mistake_in_a_rule_about_commands() -> None:
    rule = {"name": "r", "rule": "limit_command_scope", "mode": "observe", "commands": ["fstat"]}
    document = {"version": 1, "contact": "a", "rules": [rule | {"baseline": True}]}
    output = [problem.text for problem in meaning.problems(document)]
    assert output == ["applies only to rules about saved forms (remove it)"]
