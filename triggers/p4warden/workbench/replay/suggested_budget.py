"""Suggest a budget of records from the history of the records that commands in a log read.

A budget fits what a user's commands read, as estimated by the index, as a rate limit fits the
number of requests: 10,000 records count as one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.workbench.replay.suggested_limits import Budget, UserRequests, by_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.workbench.replay.suggested_limits import Margins, SuggestedLimit

_NAME = "file-budget"


def suggest_budget(
    history: Mapping[str, Any],
    unknown_as: int,
    groups: Mapping[str, Sequence[str]],
    margins: Margins,
) -> list[SuggestedLimit]:
    """Return a suggested budget for each group or class with users, for all commands together.

    None is suggested unless most of the commands have an estimate.

    Args:
        history: the `budget` of a replay's report.
        unknown_as: number of records that a command without an estimate counts as there.
        groups: as in `suggest`.
        margins: as in `suggest`.
    """
    budget = _budget(history["commands"], unknown_as, history["records_per_interval"])
    if 2 * budget.unknown >= budget.requests:
        return []
    rows = history["users"]
    users = [UserRequests(name, count, tuple(bursts), *of) for name, count, bursts, *of in rows]
    return by_group(_NAME, users, groups, history["intervals_ms"], margins, budget)


def _budget(counts: Mapping[str, Sequence[int]], unknown_as: int, per_interval: int) -> Budget:
    requests, unknown = (sum(count[n] for count in counts.values()) for n in (0, 1))
    return Budget(tuple(sorted(counts)), unknown_as, requests, unknown, per_interval)
