from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.home.decision_log import records
from p4warden.metrics.decision_record import FAULT, decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from p4warden.metrics.decision_record import Decision
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
    """Count decisions by metric and labels; a line without one counts as bad.

    `modes` are the present ones by rule; they become labels.
    """
    totals: Counter[Series] = Counter()
    for line in lines:
        decisions = [one for record in records([line]) if (one := decision(record))]
        if not decisions:
            totals[BAD_LINES,] += 1
        totals.update(count_decisions(decisions, modes, users=users))
    return totals


def count_decisions(
    decisions: Iterable[Decision], modes: Mapping[str, str], *, users: bool
) -> Counter[Series]:
    """Count decisions by metric and labels; those of a deployment's tests are left out."""
    totals: Counter[Series] = Counter()
    for one in decisions:
        for series in _series(one, modes, users=users):
            totals[series] += one.times
        if one.event and one.took_s is not None and not one.is_trial:
            totals[COST_US, cut(one.event)] += round(one.took_s * 10**6)
            totals[COSTS, cut(one.event)] += 1
    return totals


def _series(one: Decision, modes: Mapping[str, str], *, users: bool) -> Iterator[Series]:
    if one.is_trial:
        return
    if one.verdict == FAULT:
        kind = DENIED_FAULTS if one.answer == "refuse" else FAULTS
        yield kind, cause_kind(one.cause or NONE)
        return
    if one.trouble:
        yield (TROUBLES,)
    if one.rule:
        rule = cut(one.rule)
        yield DECISIONS, rule, modes.get(one.rule, NONE), one.verdict
        if users:
            yield USERS, cut(one.user or NONE), rule, one.verdict


def cause_kind(cause: str) -> str:
    """Return a fault without the parts that vary: no folders, and `N` for numbers."""
    return cut(_NUMBER.sub("N", _PATH.sub(r"\1", cause)))
