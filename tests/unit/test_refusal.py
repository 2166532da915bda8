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

EMBEDDED_RULE = {
    "name": "plain-views",
    "rule": "limit_view_scope",
    "mode": "enforce",
    "max_embedded": 1,
}
EMBEDDED_POLICY = compile_policy(
    {"contact": "admins", "help_url": None, "rules": [EMBEDDED_RULE]}, "0" * 64
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


def test_a_long_path_with_dots_in_the_middle_is_cut_after_limit_and_remedy() -> None:
    long_name = "\u00e9" * 200
    paths = [f"//depot/{long_name}/.../{name}" for name in "ab"]
    view = "".join(f"\t{path} //ws/{path[2:]}\n" for path in paths)
    form = form_parser.parse(f"Client:\tws\nView:\n{view}")
    event = Event("form-save", "2026-11-21", type="client", name="ws", form=form)
    outcome = evaluate(EMBEDDED_POLICY, event, Facts())
    first, *_ = refusal.refusal(EMBEDDED_POLICY, event, outcome, unicode=False).splitlines()
    assert (
        "has 2 paths with ... in the middle; at most 1 is allowed. In at least one of them, write "
        "the names of directories in place of the ... in the middle, such as in //depot/\\xe9"
    ) in first
    assert first.endswith("... (cut).")
