from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.reports.rows import Table, lapse, number

if TYPE_CHECKING:
    from p4warden.workbench.pulse.statistics import LoadSummary, Summary

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
