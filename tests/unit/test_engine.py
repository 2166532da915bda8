"""Tests of rule modes and exemptions in judge/engine.py, which judges form events by a policy."""

from __future__ import annotations

from typing import Any

import pytest

from p4warden.core.records import Event, Facts, Outcome
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import Policy, compile_policy

WIDE = form_parser.parse("Client:\tws\nView:\n\t//depot/... //ws/...\n")
NARROW = form_parser.parse("Client:\tws\nView:\n\t//depot/main/... //ws/...\n")
BROKEN_FORM = form_parser.parse("no form at all")
EVENT = Event(
    event="form-save",
    day="2026-11-21",
    type="client",
    name="ws",
    user="ann",
    groups=("dev", "build-farm"),
    client="annws",
    prog="Helix P4V",
    form=WIDE,
)


def policy(*modes: str, exemptions: tuple[dict[str, Any], ...] = ()) -> Policy:
    rules = [
        {"name": f"rule-{number}", "rule": "limit_view_scope", "mode": mode}
        for number, mode in enumerate(modes)
    ]
    return compile_policy({"contact": "x", "rules": rules, "exemptions": exemptions}, "0" * 64)


def exempted(fields: dict[str, Any], event: Event = EVENT, *, fold: bool = False) -> bool:
    facts = Facts(case_sensitive=not fold)
    exemption = {"reason": "because", "owner": "someone", **fields}
    outcome = evaluate(policy("enforce", exemptions=(exemption,)), event, facts)
    assert (outcome.verdict == "allow") == (outcome.exemption is not None)
    return outcome.exemption == "because (owner: someone)"


@pytest.mark.parametrize(
    ("modes", "verdict", "rule"),
    [
        (("enforce",), "refuse", "rule-0"),
        (("observe",), "observe", "rule-0"),
        (("off",), "allow", None),
        (("observe", "enforce"), "refuse", "rule-1"),
        (("off", "observe", "enforce", "enforce"), "refuse", "rule-2"),
        (("enforce", "observe"), "refuse", "rule-0"),
    ],
)
def test_the_worst_verdict_wins_with_the_first_rule_that_gives_it(
    modes: tuple[str, ...], verdict: str, rule: str | None
) -> None:
    outcome = evaluate(policy(*modes), EVENT, Facts())
    assert outcome.verdict == verdict
    assert (outcome.decisive.rule if outcome.decisive else None) == rule


@pytest.mark.parametrize("mode", ["off", "observe", "enforce"])
def test_a_narrow_view_is_allowed_in_every_mode(mode: str) -> None:
    outcome = evaluate(policy(mode), EVENT._replace(form=NARROW), Facts())
    assert outcome.verdict == "allow"
    assert outcome.decisive is None


@pytest.mark.parametrize(
    ("mode", "verdict"), [("off", "allow"), ("observe", "observe"), ("enforce", "refuse")]
)
def test_a_broken_form_gets_the_verdict_of_the_rules_mode(mode: str, verdict: str) -> None:
    outcome = evaluate(policy(mode), EVENT._replace(form=BROKEN_FORM), Facts())
    assert outcome.verdict == verdict


def test_a_broken_form_of_an_exempt_user_is_allowed() -> None:
    assert exempted({"users": ["ann"]}, EVENT._replace(form=BROKEN_FORM))


@pytest.mark.parametrize(
    "event",
    [EVENT._replace(type="label"), EVENT._replace(event="form-out")],
    ids=["type", "event"],
)
def test_a_form_type_or_event_that_no_rule_judges_is_allowed(event: Event) -> None:
    assert evaluate(policy("enforce"), event, Facts()) == Outcome("allow")


@pytest.mark.parametrize(
    ("fields", "exempt"),
    [
        ({"users": ["ann"]}, True),
        ({"users": ["bob", "a*"]}, True),
        ({"users": ["an?"]}, True),
        ({"users": ["an"]}, False),
        ({"users": ["*nn?"]}, False),
        ({"users": ["ANN"]}, False),
        ({"users": ["[a]nn"]}, False),
        ({"groups": ["build-*"]}, True),
        ({"groups": ["build"]}, False),
        ({"groups": ["dev build-farm"]}, False),
        ({"clients": ["annws"]}, True),
        ({"clients": ["ws"]}, True),
        ({"clients": ["w"]}, False),
        ({"programs": ["Helix*"]}, True),
        ({"programs": ["p4"]}, False),
        ({"users": ["ann"], "groups": ["qa"]}, False),
        ({"users": ["ann"], "groups": ["dev"]}, True),
        ({"users": ["bob"], "groups": ["dev"]}, False),
        ({"users": ["ann"], "rules": ["rule-0"]}, True),
        ({"users": ["ann"], "rules": ["rule-1"]}, False),
        ({"users": ["ann"], "until": "2026-11-21"}, True),
        ({"users": ["ann"], "until": "2026-11-20"}, False),
        ({"users": ["ann"], "until": "2027-01-01"}, True),
    ],
)
def test_all_fields_of_an_exemption_must_match(fields: dict[str, Any], *, exempt: bool) -> None:
    assert exempted(fields) == exempt


@pytest.mark.parametrize("field", ["users", "groups", "clients", "programs"])
def test_exemption_patterns_ignore_case_on_a_case_insensitive_server(field: str) -> None:
    pattern = {"users": "A*", "groups": "DEV", "clients": "AnnWS", "programs": "helix p4v"}[field]
    assert exempted({field: [pattern]}, fold=True)
    assert not exempted({field: [pattern]}, fold=False)


@pytest.mark.parametrize(
    ("missing", "field"),
    [("user", "users"), ("client", "clients"), ("prog", "programs"), ("groups", "groups")],
)
def test_an_exemption_pattern_does_not_match_a_missing_field_of_an_event(
    missing: str, field: str
) -> None:
    nothing: Any = () if missing == "groups" else None
    event = EVENT._replace(name=None, **{missing: nothing})
    assert not exempted({field: ["*"]}, event)


def test_an_exemption_from_one_rule_does_not_exempt_from_other_rules() -> None:
    exemption = {"users": ["ann"], "rules": ["rule-0"], "reason": "r", "owner": "o"}
    outcome = evaluate(policy("enforce", "enforce", exemptions=(exemption,)), EVENT, Facts())
    assert outcome.verdict == "refuse"
    assert outcome.decisive
    assert outcome.decisive.rule == "rule-1"
    assert outcome.exemption == "r (owner: o)"


def test_a_rule_stops_after_100_findings() -> None:
    view = "".join(f"\t//depot/%%{n % 10}/{n}/... //ws/...\n" for n in range(500))
    event = EVENT._replace(form=form_parser.parse(f"Client:\tws\nView:\n{view}"))
    [judgement] = evaluate(policy("enforce"), event, Facts()).judgements
    assert len(judgement.findings) == 100
