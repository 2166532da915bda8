"""No form, however broken, crashes a rule or keeps it busy."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p4warden import forms
from p4warden.engine import evaluate
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.policy.reference import example_policy
from p4warden.records import Depot, Event, Facts, SubmittedFile
from p4warden.rules import RULES

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
ASKED = [
    (rule, event, form)
    for rule, made in POLICIES.items()
    for event, form in RULES[rule].events(made.rules[0].settings)
    if event in FORM_EVENTS
]


@pytest.mark.parametrize(("rule", "event", "form_type"), ASKED)
@settings(max_examples=60)
@given(text=TEXTS)
def test_any_text_gets_a_verdict(rule: str, event: str, form_type: str, text: str) -> None:
    happened = Event(event, "2026-11-21", form_type, "ws", groups=("g",), form=forms.parse(text))
    outcome = evaluate(POLICIES[rule], happened, FACTS)
    assert outcome.verdict in ("allow", "refuse", "unknown")
    if outcome.form is not None:
        again = evaluate(POLICIES[rule], happened._replace(form=forms.parse(outcome.form)), FACTS)
        assert again.form is None


# What costs most where a rule looks at something again for each line, word or character.
_HEAVY = {
    "many lines": "View:\n" + "\t//depot/a/b/... //ws/a/b/...\n" * 7_000,
    "many wide lines": "View:\n" + "\t//depot/... //ws/...\n" * 10_000,
    "one long line": "View:\n\t//depot/" + "a/" * 100_000 + "... //ws/...\n",
    "one long word": "View:\n\t" + "x" * 200_000 + "\n",
    "quotes": "View:\n\t" + '"a" ' * 50_000 + "\n",
    "wildcards": "View:\n\t//depot/" + "*" * 200_000 + " //ws/...\n",
    "dots": "View:\n\t//depot/" + "." * 200_000 + " //ws/...\n",
    "comments": "View:\n" + "# x\n" * 45_000 + "\t//depot/... //ws/...\n",
    "imports": "Paths:\n" + "\timport a/... //depot/...\n" * 8_000,
    "options": "Options:\t" + "nocompress compress " * 10_000 + "\n",
    "maps": "Map:\n" + "\tdepot/...\n" * 18_000,
    "one field again and again": "View:\t//depot/... //ws/...\n" * 7_500,
}
MAX_S_PER_MB = 1.0
# What a busy machine may add.
SLACK_S = 0.5


@pytest.mark.parametrize("shape", _HEAVY)
def test_a_large_form_is_judged_in_time(shape: str) -> None:
    text = _HEAVY[shape]
    form = forms.parse(text)
    for rule, event, form_type in ASKED:
        started_s = time.process_time()
        evaluate(POLICIES[rule], Event(event, "2026-11-21", form_type, "ws", form=form), FACTS)
        spent_s = time.process_time() - started_s
        assert spent_s < MAX_S_PER_MB * len(text) / 1e6 + SLACK_S, (rule, form_type)


def test_a_submit_of_many_new_directories_is_judged_in_time() -> None:
    names = tuple(f"d{number}" for number in range(20_000))
    facts = Facts(case_sensitive=False, depots={"depot": Depot("local", names, len(names))})
    files = tuple(SubmittedFile(f"//depot/new{number}/a.c", "add") for number in range(1000))
    event = Event("change-submit", "2026-11-21", files=files)
    started_s = time.process_time()
    outcome = evaluate(POLICIES["limit_top_directories"], event, facts)
    assert time.process_time() - started_s < 2 * SLACK_S
    assert outcome.verdict == "refuse"
