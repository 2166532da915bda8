from __future__ import annotations

import datetime
from collections import Counter
from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.reports.charts import COLOURS, Chart, Series, bars, columns, stacked
from p4warden.reports.figures import OBSERVED
from p4warden.reports.html import page
from p4warden.reports.rows import lapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from p4warden.reports.figures import Cost, Figures, Row
    from p4warden.reports.rows import Table

MOST_BARS = 10
MOST_DAYS = 92
OTHERS = "all other rules"


def report_page(figures: Figures, tables: Iterable[Table], lines: Iterable[str]) -> str:
    """Return the page of figures, tables made of them, and lines about the parts read."""
    charts = {
        "days": _days(figures),
        "people": _people(figures),
        "observed": _hurt(figures.observed),
        "costs": _costs(figures.costs),
    }
    return page("Decisions of p4warden", lines, tables, charts)


def _days(figures: Figures) -> str:
    per_day = {row.name: row.stopped for row in figures.days if row.stopped}
    if not per_day:
        return ""
    days = _every_day(min(per_day), max(per_day))[-MOST_DAYS:]
    totals = sum(map(Counter, per_day.values()), Counter[str]())
    series = stacked(days, per_day, dict(sorted(totals.items())), OTHERS)
    decisions = amount(totals.total(), "decision")
    caption = f"{decisions} refused or delayed from {days[0]} to {days[-1]}."
    chart = Chart("days", "Refused or delayed, by day and rule", caption, days, series)
    return columns(chart, _whole_number)


def _people(figures: Figures) -> str:
    shown_rows = figures.people[:MOST_BARS]
    if not shown_rows:
        return ""
    series = [
        Series(word, [row.of(verdict) for row in shown_rows], word.lower())
        for word, verdict in (("Refused", "refuse"), ("Delayed", "delay"))
    ]
    count = len(figures.people) + figures.omitted["people"]
    users = f"{amount(count, 'user')} {'was' if count == 1 else 'were'}"
    caption = f"{users} refused or delayed; most often {cut(shown_rows[0].name)}."
    names = [cut(row.name) for row in shown_rows]
    return bars(Chart("people", "Users stopped most often", caption, names, series), _whole_number)


def _hurt(rows: Sequence[Row]) -> str:
    shown_rows = rows[:MOST_BARS]
    if not shown_rows:
        return ""
    people = [row.others for row in shown_rows]
    users = amount(people[0], "user")
    caption = f"{cut(shown_rows[0].name)} alone would have stopped {users}."
    series = [Series("Users", people)]
    names = [f"{cut(row.name)} ({amount(row.of(OBSERVED), 'decision')})" for row in shown_rows]
    return bars(
        Chart("observed", "Users whom each rule would stop", caption, names, series), _whole_number
    )


def _costs(costs: Sequence[Cost]) -> str:
    shown_costs = costs[:COLOURS]
    if not shown_costs:
        return ""
    series = [Series(cut(cost.event), [*cost.spread.values()]) for cost in shown_costs]
    caption = "; ".join(
        f"{cut(cost.event)}: half within {lapse(cost.median_ns)}" for cost in shown_costs
    )
    chart = Chart("costs", "Decision time", f"{caption}.", [*shown_costs[0].spread], series)
    return columns(chart, _whole_number)


def _every_day(first: str, last: str) -> list[str]:
    start, end = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    start = max(start, end - datetime.timedelta(days=MOST_DAYS))
    return [(start + datetime.timedelta(n)).isoformat() for n in range((end - start).days + 1)]


def _whole_number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else ""
