from __future__ import annotations

import bisect
import itertools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Cost(NamedTuple):
    event: str  # `command`, `form-save` and so on
    decisions: int  # with a recorded time
    median_ns: int
    high_ns: int  # the 95th percentile
    max_ns: int
    spread: Mapping[int, int]  # decisions below each of `BOUNDS_MS`, by index


def costs_of(durations_us: Mapping[str, Counter[int]]) -> tuple[Cost, ...]:
    """Return the cost of each event, of how many decisions took how many microseconds."""
    return tuple(_cost(event, counts) for event, counts in sorted(durations_us.items()))


def _cost(event: str, counts: Counter[int]) -> Cost:
    durations_us = sorted(counts)
    ends = [*itertools.accumulate(counts[duration_us] for duration_us in durations_us)]
    most = counts.total() - 1
    median, high, longest = (
        durations_us[bisect.bisect_right(ends, round(most * part))] * 1000
        for part in (0.5, 0.95, 1)
    )
    spread: Counter[int] = Counter()
    for duration_us, count in counts.items():
        spread[bisect.bisect_right(BOUNDS_MS, duration_us / 1000)] += count
    return Cost(event, counts.total(), median, high, longest, spread)
