"""The cost of decisions: the time that p4warden took, as far as the decision log has it."""

from __future__ import annotations

import bisect
from array import array
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Cost(NamedTuple):
    """The time that p4warden took for decisions on one kind of event.

    Attributes:
        event: the kind of event: `command`, `form-save` and so on.
        decisions: the number of decisions with a recorded time.
        median_ns, high_ns, max_ns: the median, the 95th percentile and the maximum.
        spread: the number of decisions with times below each of `BOUNDS_MS` and not below the
            bound before, by the bound's index; all longer times have the index after the last.
    """

    event: str
    decisions: int
    median_ns: int
    high_ns: int
    max_ns: int
    spread: Mapping[int, int]


class Costs:
    """Collector of the times that p4warden took for decisions, in eight bytes each, by event."""

    def __init__(self) -> None:
        self._durations_ns: dict[str, array[float]] = {}

    def add(self, event: str, took_s: float) -> None:
        """Add the time in seconds that p4warden took for one decision on a kind of event."""
        self._durations_ns.setdefault(event, array("d")).append(took_s * 10**9)

    def rows(self) -> tuple[Cost, ...]:
        """Return for each kind of event, sorted by name, how long p4warden took for decisions."""
        return tuple(
            _cost(event, sorted(durations))
            for event, durations in sorted(self._durations_ns.items())
        )


def _cost(event: str, durations_ns: list[float]) -> Cost:
    most = len(durations_ns) - 1
    median, high, longest = (round(durations_ns[round(most * part)]) for part in (0.5, 0.95, 1))
    spread = Counter(
        bisect.bisect_right(BOUNDS_MS, duration_ns / 10**6) for duration_ns in durations_ns
    )
    return Cost(event, len(durations_ns), median, high, longest, spread)
