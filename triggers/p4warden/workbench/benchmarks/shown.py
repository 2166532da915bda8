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
_COLUMNS = ("Command", "Runs", "Refused", "Median", "Max", "Files/s", "Paper")
_RATIOS = ("Median, ratio", "Max, ratio")


def tables(run: str, found: Sequence[Summary], before: Sequence[Summary] = ()) -> list[Table]:
    """Return a table for each benchmark, with a row for each command, and ratios to `before`."""
    earlier = {(one.benchmark, one.command): one for one in before}
    columns = (*_COLUMNS, *(_RATIOS if before else ()))
    rows = {one.benchmark: list[tuple[str, ...]]() for one in found}
    for one in found:
        then = earlier.get((one.benchmark, one.command))
        ratios = [_ratio(one, then, name) for name in ("median_ns", "max_ns") if before]
        rows[one.benchmark].append((*_row(one), *ratios))
    numbers = frozenset(range(1, len(columns)))
    return [Table(name, f"{name}, {run}", _NOTE, columns, rows[name], numbers) for name in rows]


def _row(one: Summary) -> tuple[str, ...]:
    shown = (lapse(one.median_ns), lapse(one.max_ns))
    rate = "" if one.rate is None else f"{one.rate:,.0f}"
    paper = MEASURED.get((one.benchmark, one.command), "")
    return one.command, number(one.runs), number(one.refused), *shown, rate, paper


def _ratio(one: Summary, before: Summary | None, name: str) -> str:
    now, then = getattr(one, name), getattr(before, name, None)
    return f"{now / then:.2f}" if now and then else "-"
