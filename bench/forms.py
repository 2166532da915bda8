"""Measure rules on the slowest forms: processor seconds per MB, and the factor for twice the form.

A rule that read the whole form again for each line, word or character would take four times as
long for twice the form; the factor should be about 2. Measured is a whole `judge`, which also
reads the form's JSON.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console
from rich.table import Table
from run import children_s

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from p4warden.policy.compiled import compile_policy  # noqa: E402
from support.judged import judging_by  # noqa: E402

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

TOPS = [f"top{number}" for number in range(250)]
FACTS = {
    "depots": {
        "depot": {"type": "local", "directories": ["main", "rel"]},
        "big": {"type": "local", "directories": None, "count": 9},
        **{f"d{number}": {"type": "local", "directories": TOPS} for number in range(60)},
    }
}
EVENTS = [
    *(("form-save", form_type) for form_type in ("client", "branch", "label", "stream", "depot")),
    ("form-out", "client"),
]
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
    policies = _policies()
    table = Table("form", "rule", "MB", "s/MB", "twice / once", title="The worst forms")
    for shape, (front, again, number, behind) in SHAPES.items():
        once, twice = (front + again * (number * n) + behind for n in (1, 2))
        pairs = itertools.product(policies, EVENTS)
        times = {(rule, event): _form_s(policies[rule], event, once, 1) for rule, event in pairs}
        rule, event = max(times, key=times.__getitem__)
        once_s, twice_s = (_form_s(policies[rule], event, text, ROUNDS) for text in (once, twice))
        megabytes, factor = len(twice) / 1e6, f"{twice_s / once_s:.1f}"
        table.add_row(shape, rule, f"{megabytes:.2f}", f"{twice_s / megabytes:.3f}", factor)
    spent_s = [_submit_s(policies["limit_top_directories"], number) for number in (1_000, 2_000)]
    name, factor = "a submit of 2,000 new directories", f"{spent_s[1] / spent_s[0]:.1f}"
    table.add_row(name, "limit_top_directories", "-", f"{spent_s[1]:.3f} s", factor)
    Console().print(table)


def _policies() -> dict[str, Policy]:
    """Return a policy for each rule that a shipped policy observes."""
    document = yaml.safe_load((ROOT / "policies" / "observe-everything.yaml").read_text())
    return {
        rule["rule"]: compile_policy(
            {"contact": "admins", "rules": [rule | {"mode": "enforce"}]}, "0" * 64
        )
        for rule in document["rules"]
    }


def _form_s(policy: Policy, event: tuple[str, str], text: str, rounds: int) -> float:
    kind, form_type = event
    document = {"event": kind, "type": form_type, "name": "ws", "form": text}
    return min(_judging_s(policy, document, FACTS) for _ in range(rounds))


def _submit_s(policy: Policy, number: int) -> float:
    depot = {"type": "local", "directories": [f"d{index}" for index in range(20_000)]}
    facts = {"case_sensitive": False, "depots": {"depot": depot}}
    files = [{"path": f"//depot/new{index}/a.c", "action": "add"} for index in range(number)]
    return _judging_s(policy, {"event": "change-submit", "change": "1", "files": files}, facts)


def _judging_s(policy: Policy, event: dict[str, Any], facts: dict[str, Any]) -> float:
    """Return the processor time of a process that judges one event."""
    before_s = children_s()
    with judging_by(policy, facts) as judge:
        if "verdict" not in judge.ask(event):
            sys.exit("the bench's own event is wrong")
    return children_s() - before_s


if __name__ == "__main__":
    main()
