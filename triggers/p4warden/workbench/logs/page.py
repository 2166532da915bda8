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
    """Columns without a value in any row are left out."""
    places = [
        i for i in range(len(answer.columns)) if any(row[i] is not None for row in answer.rows)
    ]
    names = [answer.columns[i] for i in places]
    rows = [[row[i] for i in places] for row in answer.rows]
    aligned = frozenset(
        place for place in range(len(places)) if any(_is_aligned(row[place]) for row in rows)
    )
    texts = [tuple(map(_cell, names, row)) for row in rows]
    # Of a long table ordered by time the last rows are shown, of any other long table the first.
    shown = texts[-MOST_ROWS:] if answer.columns[0] == "time" else texts[:MOST_ROWS]
    columns = tuple(column.replace("_", " ") for column in names)
    note = answer.note or answer.reason
    return Table(name, title, note, columns, shown, aligned, len(rows) - len(shown))


def _is_aligned(cell: object) -> bool:
    return isinstance(cell, int | float) or bool(_TIME.fullmatch(str(cell)))


def _cell(column: str, cell: object) -> str:
    if cell is None:
        return ""
    is_amount = isinstance(cell, int | float) and not column.endswith("pid")
    return f"{cell:,}" if is_amount else cut(str(cell))
