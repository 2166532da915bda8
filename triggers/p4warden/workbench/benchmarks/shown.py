from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.reports.rows import Table, lapse, number
from p4warden.workbench.benchmarks.timings import BYSTANDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.workbench.benchmarks.timings import Summary

_NOTE = "Times of whole commands, as their clients see them."
_COLUMNS = ("Command", "Runs", "Refused", "Median", "90 %", "99 %", "Max", "Files/s")


def tables(run: str, summaries: Sequence[Summary]) -> list[Table]:
    """Return a table for each benchmark, with a row for each command."""
    numbers = frozenset(range(1, len(_COLUMNS)))
    names = dict.fromkeys(one.benchmark for one in summaries)
    rows = {name: [_row(one) for one in summaries if one.benchmark == name] for name in names}
    return [Table(name, f"{name}, {run}", _NOTE, _COLUMNS, rows[name], numbers) for name in names]


def ratios(without: Sequence[Summary], with_policy: Sequence[Summary]) -> list[Table]:
    """Return what a policy changes: medians and longest times, divided by those without it."""
    after = {(one.benchmark, one.command): one for one in with_policy}
    pairs = [(one, after.get((one.benchmark, one.command))) for one in without]
    return [
        Table(
            f"{name}-ratios",
            f"{name}: with the policy, divided by without it",
            f"What everybody else feels is the row {BYSTANDERS!r}.",
            ("Command", "Refused", "Median", "99 %", "Max"),
            [_ratio(one, two) for one, two in pairs if one.benchmark == name and two],
            frozenset((1, 2, 3, 4)),
        )
        for name in dict.fromkeys(one.benchmark for one in without)
    ]


def document(runs: dict[str, Sequence[Summary]]) -> dict[str, Any]:
    """Return all summaries for JSON, by the name of their run."""
    return {name: [one._asdict() for one in summaries] for name, summaries in runs.items()}


def _row(one: Summary) -> tuple[str, ...]:
    times = (one.median_ns, one.p90_ns, one.p99_ns, one.max_ns)
    shown = (lapse(time_ns if one.runs else None) for time_ns in times)
    rate = "" if one.rate is None else f"{one.rate:,.0f}"
    return one.command, number(one.runs), number(one.refused), *shown, rate


def _ratio(before: Summary, after: Summary) -> tuple[str, ...]:
    pairs = (
        (before.median_ns, after.median_ns),
        (before.p99_ns, after.p99_ns),
        (before.max_ns, after.max_ns),
    )
    shown = (f"{b / a:.2f}" if a and b and after.runs else "-" for a, b in pairs)
    return before.command, number(after.refused), *shown
