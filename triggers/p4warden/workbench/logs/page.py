from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.core.printable import cut
from p4warden.reports.html import page
from p4warden.reports.rows import Table
from p4warden.workbench.logs.charts import chart_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden.workbench.logs.database_reports import ReportResult

MOST_ROWS = 20
FIRST = (
    *("series", "blocking", "blockers", "table-waits", "contention", "lock-holders"),
    *("lock-waiters", "classes", "class-series", "commands", "slowest", "accounts", "shares"),
    *("users", "programs", "versions", "syncs", "triggers", "failures"),
)
"""All others follow by name."""


_TIME = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?")
_OPTION = re.compile(r" \(--[^)]*\)")
"""The mention of a command line option in a report's title, left out of the page."""


def log_page(
    answers: Mapping[str, ReportResult], titles: Mapping[str, str], lines: Iterable[str]
) -> str:
    """Return a page of results and titles, by report."""
    order = [*(name for name in FIRST if name in answers), *sorted(answers.keys() - {*FIRST})]
    titles = {name: _OPTION.sub("", title) for name, title in titles.items()}
    tables = [_table(name, titles[name], answers[name]) for name in order]
    charts = {name: chart_of(name, answers[name]) for name in order}
    return page("Reports on the log", lines, tables, charts)


def _table(name: str, title: str, answer: ReportResult) -> Table:
    columns = tuple(column.replace("_", " ") for column in answer.columns)
    aligned = frozenset(
        index
        for index in range(len(columns))
        if any(_is_aligned(row[index]) for row in answer.rows)
    )
    rows = [tuple(map(_cell, answer.columns, row)) for row in answer.rows]
    # Of a long table ordered by time the last rows are shown, of any other long table the first.
    shown_rows = rows[-MOST_ROWS:] if answer.columns[0] == "time" else rows[:MOST_ROWS]
    return Table(
        name,
        title,
        answer.note or answer.reason,
        columns,
        shown_rows,
        aligned,
        len(rows) - len(shown_rows),
    )


def _is_aligned(cell: object) -> bool:
    return isinstance(cell, int | float) or bool(_TIME.fullmatch(str(cell)))


def _cell(column: str, cell: object) -> str:
    if cell is None:
        return ""
    is_amount = isinstance(cell, int | float) and not column.endswith("pid")
    return f"{cell:,}" if is_amount else cut(str(cell))
