"""Commands of which nobody knows when they end, so that no rule counts them at once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from p4warden.asking.gate_program import GateError
from p4warden.core.plural import amount
from p4warden.health import WARNING, Check
from p4warden.home import active_policy, decision_log, gate_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.health import CheckedInstallation

_KIND = "limit_concurrent_commands"
_PAST_S = 86400
_STEP = (
    "see that p4d itself starts p4warden-gate, with no shell, container or sudo between them; the "
    "groups of a selector must be known as well"
)


def checks(place: CheckedInstallation) -> Iterator[Check]:
    """Warn of commands that ran without being counted."""
    policy = active_policy.policy_if_any(place.home)
    rules = {one.name for one in policy.rules if one.rule == _KIND} if policy else set()
    if not rules or place.gate_problem:
        return
    since_s = place.now_ns / 10**9 - _PAST_S
    uncounted = sum(_uncounted(_records(place.home), rules, since_s))
    if uncounted:
        line = f"{amount(uncounted, 'command')} of the last day could not be counted, and ran"
        yield Check("at once", WARNING, line, _STEP)


def _records(home: str) -> Iterator[dict[str, Any]]:
    with contextlib.suppress(GateError, ValueError):
        yield from (gate_counts.counts(home) or {}).get("owed", ())
    yield from decision_log.newest(home, b'"unknown"')


def _uncounted(
    records: Iterable[dict[str, Any]], rules: set[str], since_s: float
) -> Iterator[int]:
    for record in records:
        is_recent = isinstance(at := record.get("time"), int | float) and at >= since_s
        if is_recent and record.get("verdict") == "unknown" and record.get("rule") in rules:
            times = record.get("count")
            yield times if isinstance(times, int) else 1
