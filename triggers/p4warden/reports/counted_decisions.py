"""Decisions of which the gate only kept the number, the time of the last, user, rule and verdict.

All else is taken from the last full line about the same user, rule and verdict that is as unusual.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.reports.decision_record import Decision

_names = operator.attrgetter("prog", "client", "ip", "spec_or_client")
_key = operator.attrgetter("user", "rule", "verdict", "enforced_verdict", "is_unusual")


def completed(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Complete them from those before; a decision without such a line stays as it is."""
    full: dict[tuple[object, ...], Decision] = {}
    for one in decisions:
        key = _key(one)
        if not _is_only_counted(one):
            if not one.is_trial:
                full[key] = one
            yield one
        elif key in full:
            yield full[key]._replace(time_s=one.time_s, times=one.times, took_s=None)
        else:
            yield one


def _is_only_counted(one: Decision) -> bool:
    if one.took_s is not None or one.what != one.event:
        return False
    return one.cause is None and one.trouble is None and not any(_names(one))
