"""Numbers of running commands; RIM's paper has them by week, in its first table."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Load(NamedTuple):
    time_s: float  # since the epoch
    server: str
    running: int  # commands that were not idle, without the one that counted them


class LoadSummary(NamedTuple):
    span: str  # a week, by its Monday `YYYY-MM-DD`, or `before` or `after`
    samples: int
    average: float
    median: float
    max: int
    min: int


def summarize(loads: Iterable[Load], span_of: Callable[[float], str]) -> list[LoadSummary]:
    """Return statistics for each span, in the order of their names."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for load in loads:
        numbers[span_of(load.time_s)].append(load.running)
    return [_summary(span, values) for span, values in sorted(numbers.items())]


def _summary(span: str, values: list[int]) -> LoadSummary:
    average, median = statistics.fmean(values), statistics.median(values)
    return LoadSummary(span, len(values), average, median, max(values), min(values))
