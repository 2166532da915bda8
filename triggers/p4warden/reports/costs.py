from __future__ import annotations

import bisect
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Cost(NamedTuple):
    event: str  # `command`, `form-save` and so on
    decisions: int  # with a recorded time
    median_ns: int
    high_ns: int  # the 95th percentile
    max_ns: int
    spread: Mapping[int, int]  # decisions below each of `BOUNDS_MS`, by index


def costs_of(durations_ns: Mapping[str, Iterable[float]]) -> tuple[Cost, ...]:
    """Return the cost of each event."""
    return tuple(_cost(event, sorted(times)) for event, times in sorted(durations_ns.items()))


def _cost(event: str, durations_ns: list[float]) -> Cost:
    most = len(durations_ns) - 1
    median, high, longest = (round(durations_ns[round(most * part)]) for part in (0.5, 0.95, 1))
    spread = Counter(
        bisect.bisect_right(BOUNDS_MS, duration_ns / 10**6) for duration_ns in durations_ns
    )
    return Cost(event, len(durations_ns), median, high, longest, spread)
