"""The statistics of RIM's paper "Improving Perforce Performance by over 10x"."""

from __future__ import annotations

import datetime
from collections import defaultdict
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden.workbench.pulse.measurements import Load, Measurement

BEFORE, AFTER = "before", "after"


class Summary(NamedTuple):
    """Statistics of one command, or of whole rounds; durations are None if every run failed."""

    span: str  # a week, by its Monday `YYYY-MM-DD`, or `before` or `after`
    command: str
    runs: int  # successful ones
    failed: int
    average_ns: int | None
    median_ns: int | None
    max_ns: int | None
    min_ns: int | None
    within: int | None = None  # no longer than the target; None without one

    @property
    def within_percent(self) -> float | None:
        """Of all runs, including failed ones; None without a target."""
        if self.within is None:
            return None
        return 100 * self.within / (self.runs + self.failed)


class LoadSummary(NamedTuple):
    """Statistics of running commands; RIM's paper has them by week, in its first table."""

    span: str  # a week, by its Monday `YYYY-MM-DD`, or `before` or `after`
    samples: int
    average: float
    median: float
    max: int
    min: int


def summarize(
    beats: Iterable[Measurement], span_of: Callable[[float], str], target_ns: int | None = None
) -> list[Summary]:
    """Return statistics for each span and command, ordered by span, then by first measurement.

    `span_of` returns the span of a time in seconds since the epoch.
    """
    lapses: defaultdict[str, dict[str, list[int | None]]] = defaultdict(dict)
    for beat in beats:
        of_command = lapses[span_of(beat.time_s)].setdefault(beat.command, [])
        of_command.append(beat.lapse_ns)
    return [
        _summary(span, command, beats_of_command, target_ns)
        for span, commands in sorted(lapses.items(), key=lambda item: _order(item[0]))
        for command, beats_of_command in commands.items()
    ]


def summarize_loads(loads: Iterable[Load], span_of: Callable[[float], str]) -> list[LoadSummary]:
    """Return statistics for each span, in the order of their names."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for load in loads:
        numbers[span_of(load.time_s)].append(load.running)
    return [
        LoadSummary(span, len(values), fmean(values), median(values), max(values), min(values))
        for span, values in sorted(numbers.items())
    ]


def week_of(time_s: float) -> str:
    """Return the Monday of a time's week, `YYYY-MM-DD`, in local time."""
    day = datetime.datetime.fromtimestamp(time_s).date()  # noqa: DTZ006 - people's own weeks
    return (day - datetime.timedelta(days=day.weekday())).isoformat()


def side_of(changed_s: float) -> Callable[[float], str]:
    """Return a function that maps seconds since the epoch to `before` or `after`."""
    return lambda time_s: AFTER if time_s >= changed_s else BEFORE


def _order(span: str) -> str:
    return "" if span == BEFORE else span


def _summary(span: str, command: str, lapses: list[int | None], target_ns: int | None) -> Summary:
    present = [lapse for lapse in lapses if lapse is not None]
    failed = len(lapses) - len(present)
    within = None if target_ns is None else sum(lapse <= target_ns for lapse in present)
    if not present:
        return Summary(span, command, 0, failed, None, None, None, None, within)
    of_all = round(fmean(present)), round(median(present)), max(present), min(present)
    return Summary(span, command, len(present), failed, *of_all, within)
