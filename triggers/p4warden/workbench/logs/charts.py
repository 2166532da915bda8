from __future__ import annotations

import datetime
from collections import Counter
from typing import TYPE_CHECKING, Any

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.reports.charts import Chart, Series, Span, bars, columns, lines, stacked, timeline
from p4warden.reports.rows import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.workbench.logs.database_reports import ReportResult

MOST_BARS = 8
MOST_SPANS = 12
Rows = list[dict[str, Any]]


def chart_of(name: str, answer: ReportResult) -> str:
    """Return the chart of a report, or nothing without a chart or data."""
    draw = _CHARTS.get(name)
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    return draw(rows) if draw and rows else ""


def _started(rows: Rows, times: list[str]) -> str:
    series = [Series("Commands begun", [row["started"] for row in rows])]
    caption = f"{amount(sum(row['started'] for row in rows), 'command')} begun."
    return columns(Chart("started", "Commands begun", caption, times, series), _short_number)


def _running(rows: Rows, times: list[str]) -> str:
    most = max(rows, key=lambda row: row["running"] or 0)
    series = [Series("Most commands at once", [row["running"] for row in rows])]
    caption = f"At most {number(most['running'] or 0)} at once, {most['time']}."
    return lines(Chart("running", "Commands at once", caption, times, series), _short_number)


def _load(rows: Rows) -> str:
    times = [row["time"] for row in rows]
    charts = f"<div>{_started(rows, times)}</div><div>{_running(rows, times)}</div>"
    return f'<div class="charts">{charts}</div>'


def _stacked(title: str, place: str, value: str, others: str) -> Callable[[Rows], str]:
    """Stack the sums of `value` by time: of the five largest names, and of all others."""

    def draw(rows: Rows) -> str:
        totals: Counter[str] = Counter()
        by_time: dict[str, Counter[str]] = {}
        for row in rows:
            totals[row[place]] += row[value] or 0
            by_time.setdefault(row["time"], Counter())[row[place]] += row[value] or 0
        times = list(by_time)
        series = stacked(times, by_time, totals, others)
        caption = f"Most: {series[0].name}, {number(round(max(totals.values())))} in all."
        return columns(Chart(place, title, caption, times, series), _short_number)

    return draw


def _largest_bars(title: str, place: str, value: str) -> Callable[[Rows], str]:
    """Draw a bar for each of the first eight rows with a value; `place` are the label columns."""
    label_columns = place.split()

    def draw(rows: Rows) -> str:
        shown_rows = [row for row in rows if row[value]][:MOST_BARS]
        if not shown_rows:
            return ""
        series = [Series(value.replace("_", " "), [row[value] for row in shown_rows])]
        names = [cut(" ".join(str(row[name]) for name in label_columns)) for row in shown_rows]
        caption = f"Most: {names[0]}, {shown_rows[0][value]:,}."
        return bars(
            Chart(f"{label_columns[0]}-{value}", title, caption, names, series),
            lambda v: f"{v:,.10g}",
        )

    return draw


def _jam(rows: Rows) -> str:
    """Show the longest lock wait, its blocking command, and waits meanwhile."""
    blocked = [row for row in rows if row["blocker"] is not None and row["blocked_lapse_s"]]
    if not blocked:
        return ""
    worst = max(blocked, key=lambda row: row["wait_ms"])
    since, till = _span(worst, "started", "blocked_lapse_s")
    meanwhile = [
        row
        for row in sorted(blocked, key=lambda row: (row is not worst, -row["wait_ms"]))
        if _seconds(row["started"]) <= till
        and _seconds(row["started"]) + row["blocked_lapse_s"] >= since
    ]
    spans = dict.fromkeys(span for row in meanwhile for span in _pair(row))
    shown_spans = sorted([*spans][:MOST_SPANS], key=lambda span: (span.start, span.colour))
    kinds = [Series("holds the lock", []), Series("waits", [])]
    caption = (
        f"{cut(worst['blocked'])} waited {number(worst['wait_ms'])} ms for {cut(worst['lock'])}."
    )
    return timeline(
        Chart("jam", "The longest wait and those meanwhile", caption, [], kinds),
        shown_spans,
        _clock,
    )


def _pair(row: dict[str, Any]) -> tuple[Span, Span]:
    lock = cut(row["lock"])
    lock_holder = f"{cut(row['blocker'])} {cut(row['blocker_command'] or '')}, {lock}"
    wait_words = f"{cut(row['blocked'])} {cut(row['blocked_command'] or '')}, {lock}"
    return (
        Span(lock_holder, *_span(row, "blocker_started", "blocker_lapse_s"), "c0"),
        Span(wait_words, *_span(row, "started", "blocked_lapse_s"), "c1"),
    )


def _span(row: dict[str, Any], started: str, lapse: str) -> tuple[float, float]:
    since = _seconds(row[started])
    return since, since + (row[lapse] or 0)


def _seconds(text: str) -> float:
    return datetime.datetime.fromisoformat(f"{text}+00:00").timestamp()


def _clock(time_s: float) -> str:
    return datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%H:%M:%S")


def _short_number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:g}" if value == int(value) else ""


_CHARTS: dict[str, Callable[[Rows], str]] = {
    "series": _load,
    "table-waits": _stacked("Lock waits by table, ms", "tables", "wait_ms", "all others"),
    "class-series": _stacked("Commands started by class", "class", "started", "all other classes"),
    "blocking": _jam,
    "blockers": _largest_bars(
        "Commands that blocked others longest, ms", "user command started", "wait_ms"
    ),
    "commands": _largest_bars("Run time by command, s", "command", "lapse_s"),
    "accounts": _largest_bars("Share of all commands, %", "user", "percent"),
    "programs": _largest_bars("Commands by program", "program", "commands"),
    "versions": _largest_bars("Users by program, %", "program", "users_percent"),
    "syncs": _largest_bars("Estimated bytes of syncs by user", "user", "estimated_bytes"),
    "triggers": _largest_bars("Run time by trigger, s", "triggers", "lapse_s"),
    "contention": _largest_bars("Waits by table, ms", "tables", "wait_ms"),
}
