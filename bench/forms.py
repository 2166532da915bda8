"""Measure rules on the slowest forms: seconds per MB, and the factor for a form twice as long.

A rule that read the whole form again for each line, word or character would take four times as
long for twice the form; the factor should be about 2.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from p4warden.core.records import Depot, Event, Facts, SubmittedFile
from p4warden.forms import form_parser
from p4warden.judge.engine import evaluate
from p4warden.policy.compiled import compile_policy
from p4warden.policy.reference import example_policy
from p4warden.rules import RULES

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

TOPS = tuple(f"top{number}" for number in range(250))
FACTS = Facts(
    depots={
        "depot": Depot("local", ("main", "rel"), 2),
        "big": Depot("local", None, 9),
        **{f"d{number}": Depot("local", TOPS, len(TOPS)) for number in range(60)},
    }
)
ROUNDS = 3
# Start, repeated text, repetitions in the shorter form (the longer one has twice as many), end.
SHAPES = {
    "many lines": ("View:\n", "\t//depot/a/b/... //ws/a/b/...\n", 12_000, ""),
    "many wide lines": ("View:\n", "\t//depot/... //ws/...\n", 12_000, ""),
    "every depot": ("View:\n", "\t//.../*/x //ws/.../*/y\n", 20_000, ""),
    "words in capitals": ("View:\n", "\t//depot/DIRECTORY/... //ws/...\n", 16_000, ""),
    "one long line": ("View:\n\t//depot/", "a/", 250_000, "... //ws/...\n"),
    "one long word": ("View:\n\t", "x", 500_000, "\n"),
    "quotes": ("View:\n\t", '"a" ', 125_000, "\n"),
    "wildcards": ("View:\n\t//depot/", "*", 500_000, " //ws/...\n"),
    "dots": ("View:\n\t//depot/", ".", 500_000, " //ws/...\n"),
    "comments": ("View:\n", "# why this line is here\n", 22_000, "\t//depot/... //ws/...\n"),
    "imports": ("Paths:\n", "\timport a/... //depot/...\n", 18_000, ""),
    "options": ("Options:\t", "nocompress compress ", 25_000, "\n"),
    "maps": ("Map:\n", "\tdepot/...\n", 22_000, ""),
    "one field again and again": ("", "View:\t//depot/... //ws/...\n", 18_000, ""),
}


def main() -> None:
    """Print the slowest rule for each form of `SHAPES`, and a large submit."""
    policies = {rule: _policy(rule) for rule in RULES}
    table = Table("form", "rule", "MB", "s/MB", "twice / once", title="The worst forms")
    for shape, (front, again, number, behind) in SHAPES.items():
        once, twice = (front + again * (number * n) + behind for n in (1, 2))
        rule, event = max(
            _subscribed(policies), key=lambda subscription: _form_s(policies, subscription, once)
        )
        spent_s = [_form_s(policies, (rule, event), text) for text in (once, twice)]
        megabytes = len(twice) / 1e6
        each = f"{spent_s[1] / megabytes:.2f}"
        table.add_row(shape, rule, f"{megabytes:.2f}", each, f"{spent_s[1] / spent_s[0]:.1f}")
    spent_s = [_submit_s(policies["limit_top_directories"], number) for number in (1_000, 2_000)]
    table.add_row(
        "a submit of 2,000 new directories",
        "limit_top_directories",
        "-",
        f"{spent_s[1]:.2f} s",
        f"{spent_s[1] / spent_s[0]:.1f}",
    )
    Console().print(table)


def _policy(rule: str) -> Policy:
    document = example_policy(rule)
    document["rules"][0] |= {"mode": "enforce"}
    if rule == "limit_view_scope":
        document["rules"][0]["forms"] = ["client", "stream", "branch", "label"]
    return compile_policy(document, "0" * 64)


def _subscribed(policies: dict[str, Policy]) -> list[tuple[str, tuple[str, str | None]]]:
    return [
        (rule, event)
        for rule, policy in policies.items()
        for event in RULES[rule].events(policy.rules[0].settings)
        if event[0] in ("form-save", "form-out")
    ]


def _form_s(
    policies: dict[str, Policy], subscription: tuple[str, tuple[str, str | None]], text: str
) -> float:
    rule, (event, form_type) = subscription
    times_s = []
    for _ in range(ROUNDS):
        started_s = time.process_time()
        form = form_parser.parse(text)
        evaluate(policies[rule], Event(event, "2026-01-01", form_type, "ws", form=form), FACTS)
        times_s.append(time.process_time() - started_s)
    return min(times_s)


def _submit_s(policy: Policy, number: int) -> float:
    names = tuple(f"d{index}" for index in range(20_000))
    facts = Facts(case_sensitive=False, depots={"depot": Depot("local", names, len(names))})
    files = tuple(SubmittedFile(f"//depot/new{index}/a.c", "add") for index in range(number))
    started_s = time.process_time()
    evaluate(policy, Event("change-submit", "2026-01-01", files=files), facts)
    return time.process_time() - started_s


if __name__ == "__main__":
    main()
