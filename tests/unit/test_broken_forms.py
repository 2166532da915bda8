"""Tests that no rule raises an exception on a form, however broken its text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p4warden.core.records import Depot, Event, Facts
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.policy.reference import example_policy
from p4warden.rules import RULES, settings_of

FACTS = Facts(depots={"depot": Depot("local", ("main", "rel"), 2), "big": Depot("local", None, 9)})
WORDS = st.sampled_from(
    [
        *'//depot/ //... //ws/ ... * %%1 + - & " # \t \n import share isolate compress @12'.split(
            " "
        ),
        *"View: Paths: Options: Access: Map: Type: Host: nocompress \udcff \0 \u00e9".split(" "),
        *"//depot/main/... //ws/main/... ".split(" "),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=60).map(" ".join))
FORM_EVENTS = {"form-save", "form-out"}


def policy(rule: str) -> Policy:
    document: dict[str, Any] = example_policy(rule)
    document["rules"][0] |= {"mode": "enforce"}
    if rule == "limit_view_scope":
        document["rules"][0]["forms"] = ["client", "stream", "branch", "label"]
    return compile_policy(document, "0" * 64)


POLICIES = {rule: policy(rule) for rule in RULES}
SUBSCRIPTIONS = [
    (rule, event, form)
    for rule, policy in POLICIES.items()
    for event, form in RULES[rule].events(settings_of(policy.rules[0]))
    if event in FORM_EVENTS
]


@pytest.mark.parametrize(("rule", "event", "form_type"), SUBSCRIPTIONS)
@settings(max_examples=60)
@given(text=TEXTS)
def test_each_rule_gives_a_verdict_on_a_form_of_any_text(
    rule: str, event: str, form_type: str, text: str
) -> None:
    form_event = Event(
        event, "2026-11-21", form_type, "ws", groups=("g",), form=form_parser.parse(text)
    )
    outcome = evaluate(POLICIES[rule], form_event, FACTS)
    assert outcome.verdict in ("allow", "refuse", "unknown")
    if outcome.form is not None:
        again = evaluate(
            POLICIES[rule], form_event._replace(form=form_parser.parse(outcome.form)), FACTS
        )
        assert again.form is None
