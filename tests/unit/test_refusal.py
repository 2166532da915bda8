"""Tests that the text of a refusal is complete, bounded in length, and printable for
every form.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.records import Depot, Event, Facts
from p4warden.forms import form_parser
from p4warden.judge import refusal
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy

RULE = {
    "name": "n" * 64,
    "rule": "limit_view_scope",
    "mode": "enforce",
    "min_depth": 20,
    "advice": "a" * 398 + "\nb",
}
POLICY = compile_policy(
    {"contact": "c" * 200, "help_url": "https://" + "h" * 200, "rules": [RULE]}, "0" * 64
)

hostile = st.text(max_size=300).filter(lambda text: "\n" not in text and "#" not in text)


@given(hostile, st.lists(hostile, min_size=1, max_size=12), st.lists(hostile, max_size=5))
def test_a_refusal_is_short_printable_and_ends_with_the_line_for_programs(
    name: str, lines: list[str], directories: list[str]
) -> None:
    view = "".join(f"\t//depot/{line}/... //ws/{line}/...\n" for line in lines)
    form = form_parser.parse(f"Client:\tws\nView:\n{view}")
    facts = Facts(depots={"depot": Depot("local", tuple(directories), len(directories))})
    event = Event("form-save", "2026-11-21", type="client", name=name, form=form)
    text = refusal.refusal(POLICY, event, evaluate(POLICY, event, facts), unicode=False)
    assert len(text.encode("ascii")) <= refusal.MAX_TEXT_BYTES
    assert all(line.isprintable() for line in text.splitlines())
    *_, advice, more_advice, contact, url, last = text.split("\n")[:-1]
    assert (advice, more_advice) == ("a" * 398, "b")
    assert contact == "Questions: " + "c" * 200
    assert url == "The policy: https://" + "h" * 200
    assert last.startswith(f"p4warden: rule={'n' * 64} limit=")
