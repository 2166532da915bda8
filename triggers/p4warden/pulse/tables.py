from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.pulse.statistics import AFTER, BEFORE
from p4warden.reports.charts import COLOURS, Chart, Mark, Series, bars, lines
from p4warden.reports.html import page, section
from p4warden.reports.rows import Table, lapse, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.pulse.statistics import LoadSummary, Summary

MOST_WEEKS = 52
_COLUMNS = ("Command", "Runs", "Failed", "Average", "Median", "Max", "Min")
_NOTE = "Time of each command, failed ones excluded."
_CAUTION = (
    "Two periods differ in more than the policy: load, hardware, releases. These figures do "
    "not show the cause of a difference."
)


def weeks_table(weeks: list[Summary], target_ns: int | None) -> Table:
    """Return the table by week, the newest first; with a target, of the runs within it."""
    rows = [_row(one) for one in sorted(weeks, key=lambda one: one.span, reverse=True)]
    return _table(("weeks", "Weeks, each by its Monday", _NOTE), "Week", rows, target_ns)


def loads_table(loads: list[LoadSummary]) -> Table:
    """Return the numbers of running commands, the newest week first."""
    rows = [
        (
            load.span,
            number(load.samples),
            f"{load.average:,.1f}",
            f"{load.median:,g}",
            number(load.max),
            number(load.min),
        )
        for load in reversed(loads)
    ]
    columns = ("Week", "Samples", "Average", "Median", "Max", "Min")
    note = "Counted once in each round, without idle processes."
    return Table("loads", "Running commands", note, columns, rows, frozenset(range(1, 6)))


def sides_table(sides: list[Summary], target_ns: int | None) -> Table:
    """Return the table of a day's before and after."""
    rows = [*map(_row, _by_command(sides))]
    return _table(("sides", "Before and after", f"{_NOTE} {_CAUTION}"), "Span", rows, target_ns)


def pulse_page(
    weeks: list[Summary],
    sides: list[Summary],
    loads: list[LoadSummary],
    facts: Iterable[str],
    target_ns: int | None,
) -> str:
    """Return the HTML page; `sides` and `loads` may be empty."""
    sections = [section(weeks_table(weeks, target_ns), _weeks_chart(weeks, target_ns))]
    if loads:
        sections.append(section(loads_table(loads)))
    if sides:
        sections.insert(0, section(sides_table(sides, target_ns), _sides_chart(sides)))
    return page("Response time of small commands", facts, sections)


def _by_command(sides: list[Summary]) -> list[Summary]:
    names = [summary.command for summary in sides]
    return sorted(sides, key=lambda summary: names.index(summary.command))


def _axis(lapse_ns: float) -> str:
    ms = lapse_ns / 10**6
    return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:.4g} ms"  # noqa: PLR2004 - as said


def _row(summary: Summary) -> tuple[str, ...]:
    return (
        summary.span,
        cut(summary.command),
        number(summary.runs),
        number(summary.failed),
        *(lapse(lapse_ns) for lapse_ns in summary[4:8]),
        *([] if summary.within_percent is None else [f"{summary.within_percent:.1f}%"]),
    )


def _table(
    head: tuple[str, str, str], first: str, rows: list[tuple[str, ...]], target_ns: int | None
) -> Table:
    within = () if target_ns is None else (f"Within {_axis(target_ns)}",)
    columns = (first, *_COLUMNS, *within)
    return Table(*head, columns, rows, frozenset(range(2, len(columns))))


def _weeks_chart(weeks: list[Summary], target_ns: int | None) -> str:
    spans = sorted({summary.span for summary in weeks})[-MOST_WEEKS:]
    medians = {(summary.span, summary.command): summary.median_ns for summary in weeks}
    names = list(dict.fromkeys(s.command for s in weeks if s.median_ns is not None))[:COLOURS]
    series = [Series(cut(name), [medians.get((span, name)) for span in spans]) for name in names]
    if not series:
        return ""
    description = f"The median of each command in {number(len(spans))} weeks."
    mark = None if target_ns is None else Mark(f"target {_axis(target_ns)}", target_ns)
    chart = Chart("weeks", "Median of each command, by week", description, spans, series)
    return lines(chart, _axis, mark)


def _sides_chart(sides: list[Summary]) -> str:
    shown_summaries = [one for one in _by_command(sides) if one.median_ns is not None]
    if not shown_summaries:
        return ""
    series = [
        Series(
            f"Median {side}", [s.median_ns if s.span == side else None for s in shown_summaries]
        )
        for side in (BEFORE, AFTER)
    ]
    description = "; ".join(
        f"{cut(s.command)} {s.span} {lapse(s.median_ns)}" for s in shown_summaries
    )
    names = [f"{cut(summary.command)}, {summary.span}" for summary in shown_summaries]
    return bars(Chart("sides", "Before and after", f"{description}.", names, series), lapse)
