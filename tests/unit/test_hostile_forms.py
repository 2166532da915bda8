"""Tests of forms designed to be expensive to judge; they count operations instead of time."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from p4warden.core.effort import Effort, EffortSpentError
from p4warden.core.records import Depot, Event, Facts, Outcome
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy


class Name(str):
    """Directory name; the class counts how often code folds the case of any such name."""

    fold_count: ClassVar[int] = 0
    __slots__ = ()

    def isascii(self) -> bool:
        Name.fold_count += 1
        return super().isascii()


DEPOTS, DIRECTORIES = 20, 200
NAMES = tuple(Name(f"Dir{number}") for number in range(DIRECTORIES))
FACTS = Facts(
    case_sensitive=False,
    depots={f"Depot{number}": Depot("local", NAMES, DIRECTORIES) for number in range(DEPOTS)},
)
ALL_NAMES = DEPOTS * DIRECTORIES


def judged(line: str, lines: int, facts: Facts = FACTS, **settings: Any) -> Outcome:
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", **settings}
    policy = compile_policy({"contact": "admins", "rules": [rule]}, "0" * 64)
    view = "".join(f"\t{line.replace('{}', str(number))}\n" for number in range(lines))
    form = form_parser.parse(f"Client:\tws\nView:\n{view}")
    event = Event("form-save", "2026-11-21", type="client", name="ws", form=form)
    return evaluate(policy, event, facts)


@pytest.mark.parametrize(
    "line",
    [
        "//*/Dir{}/... //ws/*/Dir{}/...",
        "//*/None{}/... //ws/*/None{}/...",
        "//*/... //ws/*/{}/...",
        "//*e*p*o*t*/{}/... //ws/*/{}/...",
        "//Depot1/... //ws/{}/...",
        "//Depot1/*i*r*/{}/... //ws/*i*r*/{}/...",
        "//DEPOT/DIRECTORY/... //ws/{}/...",
    ],
)
def test_case_of_directory_names_is_not_folded_again_for_each_view_line(line: str) -> None:
    Name.fold_count = 0
    outcome = judged(line, 120, max_share=0.8)
    assert outcome.verdict == "refuse"
    assert outcome.trouble is None
    assert Name.fold_count <= 8 * ALL_NAMES


def test_a_narrow_view_folds_only_directory_names_of_its_own_depots() -> None:
    Name.fold_count = 0
    assert judged("//Depot3/Dir{}/... //ws/{}/...", 100, max_share=0.8).verdict == "allow"
    assert Name.fold_count <= 2 * DIRECTORIES


def test_a_view_with_too_many_include_lines_gets_a_single_finding() -> None:
    outcome = judged("//*/... //ws/*/...", 30, max_lines=20)
    (finding,) = outcome.judgements[0].findings
    assert (finding.value, finding.limit, finding.counted_things) == (30, 20, "include lines")


def test_later_findings_without_advice_have_the_same_problem() -> None:
    many = tuple(f"d{number}" for number in range(1_000))
    facts = Facts(depots={f"Depot{n}": Depot("local", many, len(many)) for n in range(50)})
    outcome = judged("//... //ws/{}/...", 90, facts)
    findings = outcome.judgements[0].findings
    assert (outcome.verdict, len(findings), outcome.trouble) == ("refuse", 90, None)
    assert findings[0].fix
    assert findings[-1].fix == ()
    assert {finding.problem for finding in findings} == {findings[0].problem}


def test_advice_that_raises_does_not_change_the_verdict() -> None:
    damaged: Any = (None, "main")
    outcome = judged("//depot/... //ws/...", 1, Facts(depots={"depot": Depot("", damaged, 2)}))
    assert outcome.verdict == "refuse"
    assert outcome.judgements[0].findings[0].fix == ()
    assert outcome.trouble is not None
    assert outcome.trouble.startswith("advice failed: AttributeError")


def test_spending_more_steps_than_the_effort_has_raises_at_each_later_call() -> None:
    effort = Effort(3)
    effort.spend(2)
    effort.spend(1)
    with pytest.raises(EffortSpentError):
        effort.spend(1)
    with pytest.raises(EffortSpentError):
        effort.spend(0)
