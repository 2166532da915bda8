from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.reports.rows import Table, lapse, number
from p4warden.workbench.benchmarks.papers import MEASURED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.benchmarks.timings import Summary

_NOTE = (
    "Times of whole commands, as their clients see them. Paper: what the Performance Lab measured "
    "with the size paper (2009)."
)
_COLUMNS = ("Command", "Runs", "Refused", "Median", "99 %", "Max", "Files/s", "Paper")
_RATIOS = ("Median, ratio", "99 %, ratio")


def tables(run: str, found: Sequence[Summary], before: Sequence[Summary] = ()) -> list[Table]:
    """Return a table for each benchmark, with a row for each command, and ratios to `before`."""
    earlier = {(one.benchmark, one.command): one for one in before}
    columns = (*_COLUMNS, *_RATIOS[: 2 * bool(before)])
    numbers = frozenset(range(1, len(columns)))
    rows = {one.benchmark: list[tuple[str, ...]]() for one in found}
    for one in found:
        ratios = _ratios(one, earlier.get((one.benchmark, one.command))) if before else ()
        rows[one.benchmark].append((*_row(one), *ratios))
    return [Table(name, f"{name}, {run}", _NOTE, columns, rows[name], numbers) for name in rows]


def _row(one: Summary) -> tuple[str, ...]:
    shown = (lapse(time_ns if one.runs else None) for time_ns in one.times_ns)
    rate = "" if one.rate is None else f"{one.rate:,.0f}"
    paper = MEASURED.get((one.benchmark, one.command), "")
    return one.command, number(one.runs), number(one.refused), *shown, rate, paper


def _ratios(one: Summary, before: Summary | None) -> tuple[str, str]:
    if not before or not before.runs or not one.runs:
        return "-", "-"
    return f"{one.median_ns / before.median_ns:.2f}", f"{one.p99_ns / before.p99_ns:.2f}"
