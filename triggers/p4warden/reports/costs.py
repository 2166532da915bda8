from __future__ import annotations

import bisect
from array import array
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


class Costs:
    """Keeps eight bytes for each decision."""

    def __init__(self) -> None:
        self._durations_ns: dict[str, array[float]] = {}

    def add(self, event: str, took_s: float) -> None:
        self._durations_ns.setdefault(event, array("d")).append(took_s * 10**9)

    def rows(self) -> tuple[Cost, ...]:
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
