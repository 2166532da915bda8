"""Tests of `limit_command_rate` with a weight: budgets of files and revisions."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from gate.program import judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parents[1] / "cases" / "budgets"
BUDGETS = json.loads((CASES / "budgets.json").read_text())
COMMANDS = ["files", "fstat", "sync", "changes", "filelog"]
SIZES = {"a": 1, "b": 7, "c": 30, "d": 90, "e": 250}
NS = 10**9


def rule(**settings: Any) -> dict[str, Any]:
    kind = {"name": "budget", "rule": "limit_command_rate", "mode": "enforce"}
    return {**kind, "commands": COMMANDS, **settings}


def event_of(case: dict[str, Any]) -> dict[str, Any]:
    fields = {key: case[key] for key in ("command", "args") if key in case}
    return {"event": "command", "client": "ws", "user": "ann", "time": case["at_s"] + 1000} | (
        fields | {"user": case.get("user", "ann")}
    )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("index"), **BUDGETS["server"])


def judged(index: Path, *others: dict[str, Any]) -> dict[str, dict[str, Any]]:
    events = [event_of(case) for case in BUDGETS["cases"]]
    rules = policy(*others, rule(**BUDGETS["settings"]))
    answers, _ = judge(rules, events, f"--index={index}", "--texts")
    return {case["name"]: one for case, one in zip(BUDGETS["cases"], answers, strict=True)}


@pytest.fixture(scope="module")
def answers(index: Path) -> dict[str, dict[str, Any]]:
    return judged(index)


@pytest.mark.parametrize("case", BUDGETS["cases"], ids=lambda case: case["name"])
def test_a_command_uses_the_files_that_it_reads(
    case: dict[str, Any], answers: dict[str, dict[str, Any]]
) -> None:
    answer = answers[case["name"]]
    assert answer["verdict"] == case["verdict"], answer
    assert answer["retry_after_s"] == case.get("retry_after_s"), answer
    assert case.get("detail", "") in (answer["detail"] or ""), answer
    if "value" in case:
        assert answer["value"] == case["value"], answer


@pytest.mark.parametrize("most", [1, 100, 10**9])
def test_a_rule_that_observes_the_same_files_changes_no_budget(
    most: int, index: Path, answers: dict[str, dict[str, Any]]
) -> None:
    scan = {"name": "scan", "rule": "limit_scanned_rows", "mode": "observe", "max_files": most}
    scan |= {"commands": COMMANDS, "max_revisions": most}
    beside = judged(index, scan)
    names = [name for name, one in answers.items() if one["verdict"] == "refuse"]
    assert names == [name for name, one in beside.items() if one["verdict"] == "refuse"]
    for name in names:
        assert beside[name]["retry_after_s"] == answers[name]["retry_after_s"]


class Budget(NamedTuple):
    allow: int
    period_s: int
    burst: int


def budgets(draw: random.Random) -> Iterator[Budget]:
    for _ in range(12):
        yield Budget(draw.randint(1, 400), draw.randint(1, 90), draw.randint(1, 400))


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directories = {f"//depot/{name}": size for name, size in SIZES.items()}
    return small_index(tmp_path_factory.mktemp("sizes"), directories, {})


def test_in_any_order_at_most_the_burst_the_rate_and_one_command_are_admitted(
    sizes: Path,
) -> None:
    draw = random.Random(4)  # noqa: S311 - reproducible test data
    for budget in budgets(draw):
        times_ns = sorted(draw.randrange(300 * NS) for _ in range(150))
        names = [draw.choice(sorted(SIZES)) for _ in times_ns]
        events = [
            {"event": "command", "command": "files", "user": "ann"}
            | {"args": [f"//depot/{name}/..."], "time": time_ns / NS}
            for name, time_ns in zip(names, times_ns, strict=True)
        ]
        limit = {"per": ["user"], "allow": f"{budget.allow}/{budget.period_s}s"}
        settings = {"weight": "files", "unknown_as": 1}
        document = policy(rule(limits=[limit | {"burst": budget.burst}], **settings))
        answers, _ = judge(document, events, f"--index={sizes}")
        admitted = [
            (time_ns, SIZES[name])
            for time_ns, name, answer in zip(times_ns, names, answers, strict=True)
            if answer["verdict"] == "allow"
        ]
        assert admitted
        for first, (start_ns, _) in enumerate(admitted):
            total = 0
            for end_ns, size in admitted[first:]:
                total += size
                # One microsecond more: the event's time is a number with so many digits.
                passed = Fraction(end_ns - start_ns + 1000, NS)
                regained = passed * Fraction(budget.allow, budget.period_s)
                assert total <= budget.burst + regained + max(0, size - budget.burst)


def test_the_burst_of_a_budget_is_the_number_in_allow_by_default(sizes: Path) -> None:
    limit = {"per": ["user"], "allow": "90/d"}
    document = policy(rule(limits=[limit], weight="revisions", unknown_as=1))
    event = {"event": "command", "command": "filelog", "user": "ann", "time": 1}
    events = [event | {"args": [f"//depot/{name}/..."]} for name in "abcc"]
    answers, _ = judge(document, events, f"--index={sizes}")
    assert [answer["verdict"] for answer in answers] == ["allow", "allow", "allow", "allow"]
    (answer,), _ = judge(document, [event | {"args": ["//depot/d/..."]}], f"--index={sizes}")
    assert answer["verdict"] == "allow"
    answers, _ = judge(
        document, [*events, event | {"args": ["//depot/c/..."]}], f"--index={sizes}"
    )
    assert answers[-1]["verdict"] == "refuse"
    assert (
        "30 revisions; of the budget of each user (90 revisions at once" in answers[-1]["detail"]
    )


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_exempt_and_observed_commands_are_never_refused(sizes: Path, mode: str) -> None:
    limit = {"per": ["user"], "allow": "1/d", "burst": 1}
    settings = {"limits": [limit], "weight": "files", "unknown_as": 1, "mode": mode}
    exemption = {"reason": "tests", "owner": "ann", "for": {"users": ["build"]}}
    document = policy(rule(**settings), exemptions=[exemption])
    event = {"event": "command", "command": "files", "args": ["//depot/e/..."], "time": 1}
    events = [event | {"user": user} for user in ("build", "build", "ann", "ann")]
    answers, _ = judge(document, events, f"--index={sizes}")
    last = "refuse" if mode == "enforce" else "observe"
    assert [one["verdict"] for one in answers] == ["allow", "allow", "allow", last]


def test_a_command_over_the_budget_is_delayed_if_it_is_enough_soon(sizes: Path) -> None:
    limit = {"per": ["user"], "allow": "100/s", "burst": 100}
    settings = {"limits": [limit], "weight": "files", "unknown_as": 1}
    document = policy(rule(**settings, action="delay", max_delay="1s"))
    event = {"event": "command", "command": "files", "args": ["//depot/d/..."], "time": 1}
    answers, _ = judge(document, [event | {"user": "ann"}] * 3, f"--index={sizes}")
    assert [one["verdict"] for one in answers] == ["allow", "delay", "refuse"]
    assert answers[1]["delay_s"] == pytest.approx(0.8)
