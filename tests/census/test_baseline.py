"""Tests of the baseline of a census: the cases of `tests/cases/baseline`, and the file format.

Also of the rules that accept `baseline`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.asking.gate_program import GateError
from p4warden.asking.judge import judging
from p4warden.core import shipped_yaml
from p4warden.core.specs import Spec
from p4warden.home import baseline_file
from p4warden.home.active_policy import UnusableFileError
from p4warden.policy import compiled, meaning, wording
from p4warden.workbench.census.judging import event_of, judged
from p4warden.workbench.census.verdicts import BaselineCollector

if TYPE_CHECKING:
    from p4warden.asking.judge import Judge
    from p4warden.home.baseline_file import Entry

SATURDAY_S = 1_795_262_400
"""Noon of 2026-11-21 in UTC."""
CASES = Path(__file__).parents[1] / "cases" / "baseline"
WIDE = {"name": "r", "rule": "limit_view_scope", "mode": "enforce", "baseline": True}


def cases() -> list[Any]:
    results = []
    for file in sorted(CASES.glob("*.yaml")):
        document = shipped_yaml.load(file.read_text("utf-8"))
        results += [
            pytest.param(document, case, id=f"{file.stem}: {case['name']}")
            for case in document["cases"]
        ]
    return results


def policy_file(folder: Path, *rules: dict[str, Any]) -> str:
    policy = compiled.compile_policy({"contact": "admins", "rules": rules}, "0" * 64)
    file = folder / compiled.FILE_NAME
    file.write_text(compiled.dumps(policy))
    return str(file)


def written(judge: Judge, folder: Path, text: str, facts: dict[str, Any]) -> str:
    """Write the baseline of a client `ws` with this form; return its path."""
    collector = BaselineCollector(case_sensitive=facts.get("case_sensitive", True))
    spec = Spec("client", "ws", None, None, {}, text)
    [(_, answer)] = judged(judge, [spec], lambda spec: event_of(spec, ()) | {"facts": facts})
    assert answer["tolerated"] == [entry[0] for entry in answer["marks"][:1]]
    collector.add(spec, answer)
    file = folder / baseline_file.FILE_NAME
    file.write_bytes(baseline_file.write(collector.specs))
    return str(file)


@pytest.mark.parametrize(("document", "case"), cases())
def test_a_saved_form_gets_the_expected_findings_with_a_baseline(
    document: dict[str, Any], case: dict[str, Any], tmp_path: Path
) -> None:
    rule = document["rule"] | {"baseline": True}
    rules = {"version": 1, "contact": "admins", "rules": [rule]}
    assert [*wording.problems(rules), *meaning.problems(rules)] == []
    policy = policy_file(tmp_path, rule)
    facts = document.get("facts", {})
    with judging(policy, flags=("marks",)) as judge:
        baseline = written(judge, tmp_path, document["before"], facts)
    text = case.get("form", document["before"])
    if "view" in case:
        text = "Client:\tws\n\nView:\n" + "".join(f"\t{line}\n" for line in case["view"])
    spec = Spec(case.get("type", "client"), case.get("spec", "ws"), None, None, {}, text)
    event = event_of(spec, ()) | {"time": SATURDAY_S, "facts": case.get("facts", facts)}
    with judging(policy, baseline=baseline) as judge:
        check(judge.ask(event), case)


def check(answer: dict[str, Any], case: dict[str, Any]) -> None:
    assert answer["verdict"] == case["verdict"], answer
    for problem, finding in zip(case.get("problems", ()), answer["findings"], strict=False):
        assert problem in finding["problem"]
    if "item" in case:
        assert [finding["item"] for finding in answer["findings"]] == [case["item"]]
    if answer["verdict"] == "observe":
        assert all(one["problem"].endswith("(in the baseline)") for one in answer["findings"])


ODD_NAMES = ("a", 'a"b', "\\", "\udcff", "\U0001d11e", "\ue000", "\u00c9", "b" * 20_000, "\t", "z")


def test_exactly_the_specs_of_a_baseline_file_are_found(tmp_path: Path) -> None:
    entry: Entry = ["r", "View line", "//depot/...\t//ws/...", 0]
    long_entry: Entry = ["r", "View line", "x" * 40_000, None]
    names = [*ODD_NAMES, *(f"ws-{number:04}" for number in range(2000))]
    keys = [baseline_file.key("client", name, case_sensitive=True) for name in names]
    specs = {key: [entry, long_entry] if n % 500 == 7 else [entry] for n, key in enumerate(keys)}
    file = tmp_path / baseline_file.FILE_NAME
    file.write_bytes(baseline_file.write(specs))
    file.chmod(0o600)
    assert baseline_file.read(str(tmp_path)) == specs
    view = "View:\n\t//depot/... //ws/...\n"
    given = {*names, *(f"{name}x" for name in names[:20]), "ws-1234567"}
    events = [event_of(Spec("client", name, None, None, {}, view), ()) for name in sorted(given)]
    with judging(policy_file(tmp_path, WIDE), baseline=str(file), flags=("marks",)) as judge:
        answers = zip(events, judge.answers(events), strict=True)
        held_back = {event["name"] for event, answer in answers if answer["verdict"] == "observe"}
    assert held_back == set(names)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"format": 2, "specs": {\n', b'{"format": 3, '])
def test_a_damaged_file_is_an_error(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / baseline_file.FILE_NAME
    file.write_bytes(content)
    with (
        judging(policy_file(tmp_path, WIDE), baseline=str(file)) as judge,
        pytest.raises(GateError, match=r"baseline\.json: "),
    ):
        judge.ask({})


def test_a_spec_with_a_damaged_line_is_neither_refused_nor_tolerated(tmp_path: Path) -> None:
    marks: list[Entry] = [["r", "View line", "//depot/...\t//ws/...", 0]]
    content = baseline_file.write({f"client/ws{number}": marks for number in range(100)})
    line = b'"client/ws98": '
    start = content.index(line)
    end = content.index(b"\n", start)
    event = event_of(Spec("client", "ws98", None, None, {}, "View:\n\t//depot/... //ws/...\n"), ())
    policy = policy_file(tmp_path, WIDE)
    file = tmp_path / baseline_file.FILE_NAME
    for at in (start, *range(start + 5, end, 3), end):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with judging(policy, baseline=str(file)) as judge:
            assert judge.ask(event)["error"] == "the baseline: it is not as p4warden wrote it", at
        file.chmod(0o600)
        with pytest.raises(UnusableFileError, match=r"baseline\.json: it cannot be read"):
            baseline_file.read(str(tmp_path))


def test_all_lines_of_a_wide_view_are_in_the_baseline(tmp_path: Path) -> None:
    lines = [f"\t//d{number}/... //ws/{number}/...\n" for number in range(300)]
    policy = policy_file(tmp_path, WIDE)
    with judging(policy, flags=("marks",)) as judge:
        baseline = written(judge, tmp_path, "View:\n" + "".join(lines), {})
    with judging(policy, baseline=baseline) as judge:
        for form, verdict in (
            ("".join(reversed(lines)), "observe"),
            ("".join(lines[1:]), "observe"),
            ("".join([*lines, "\t//new/... //ws/new/...\n"]), "refuse"),
        ):
            spec = Spec("client", "ws", None, None, {}, f"View:\n{form}")
            assert judge.ask(event_of(spec, ()))["verdict"] == verdict


def test_baseline_is_a_mistake_in_a_rule_about_commands() -> None:
    rule = {"name": "r", "rule": "limit_command_scope", "mode": "observe", "commands": ["fstat"]}
    document = {"version": 1, "contact": "a", "rules": [rule | {"baseline": True}]}
    output = [problem.text for problem in meaning.problems(document)]
    assert output == ["applies only to rules about saved forms (remove it)"]
