from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.reports import counting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.metrics.tally import Series

DECISIONS, TROUBLES, USERS = "decisions", "troubles", "users"
FAULTS, DENIED_FAULTS = "faults", "denied_faults"
COST_US, COSTS = "cost_us", "costs"
BAD_LINES, GAPS = "bad_lines", "gaps"
NONE = "none"
_PATH = re.compile(r"/[^\s:]*/([^\s:/]*)")
_NUMBER = re.compile(r"[0-9]+")


def count_lines(
    lines: Iterable[bytes], modes: Mapping[str, str], *, users: bool
) -> Counter[Series]:
    """Count decisions by metric and labels; those of a deployment's tests are left out.

    `modes` are the present ones by rule; they become labels.

    Raises:
        P4WardenError: the program that counts is not installed, or fails.
    """
    sums, lists = counting.lists(lines, ["totals", "spent"])
    totals: Counter[Series] = Counter({(BAD_LINES,): sums.bad_lines})
    for one in lists["totals"]:
        rule, user, verdict, times = one["rule"], one["user"], one["answer"], one["times"]
        if one["fault"]:
            kind = DENIED_FAULTS if verdict == "refuse" else FAULTS
            totals[kind, cause_kind(one["fault"])] += times
            continue
        if one["trouble"]:
            totals[TROUBLES,] += times
        if rule:
            totals[DECISIONS, cut(rule), modes.get(rule, NONE), verdict] += times
        if rule and users:
            totals[USERS, cut(user or NONE), cut(rule), verdict] += times
    for one in lists["spent"]:
        totals[COST_US, cut(one["event"])] += one["total_us"]
        totals[COSTS, cut(one["event"])] += one["decisions"]
    return totals


def cause_kind(cause: str) -> str:
    """Return a fault without the parts that vary: no folders, and `N` for numbers."""
    return cut(_NUMBER.sub("N", _PATH.sub(r"\1", cause)))
