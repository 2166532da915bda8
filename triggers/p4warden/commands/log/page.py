from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.commands.log.log_part import open_part
from p4warden.home import public_file, usable
from p4warden.reports.html import PRIVATE_PAGE_MODE
from p4warden.reports.rows import moment
from p4warden.workbench.logs.database_reports import span_s, titles
from p4warden.workbench.logs.page import log_page
from p4warden.workbench.logs.scope import step_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.commands.log.log_part import LogPart
    from p4warden.workbench.logs.database_reports import ReportResult

MOST_ROWS_BY_TIME = 10_000
"""Largest number of rows of a report by time on the page of log reports.

Enough for 100 tables or classes of users in each of 100 time steps.
"""

_BY_TIME = ("series", "table-waits", "class-series")
_OPTIONS = ("from_", "to", "at", "user", "command", "program", "table", "pid", "server")


def write_page(page_file: str, database: str, limit: int, options: Mapping[str, Any]) -> None:
    """Write an HTML page with all reports on the selected part of a log database.

    Reports by user class are left out unless classes were given.

    Raises:
        P4WardenError: the page cannot be written, or the selected part cannot be read.
    """
    usable.refuse_unwritable(page_file)
    with open_part(database, limit, options) as part:
        since_s, till_s = span_s(part.connection)
        answers = _answers(part, options["by"] or step_of(till_s - since_s))
    span = f"From {moment(since_s)} to {moment(till_s)} by the log's local time"
    public_file.write(
        page_file, log_page(answers, titles(), [span, *_option_texts(options)]), PRIVATE_PAGE_MODE
    )


def _answers(part: LogPart, step: str) -> dict[str, ReportResult]:
    over_time = part.division._replace(step=step, limit=MOST_ROWS_BY_TIME)
    return {
        name: part.answer(name, over_time if name in _BY_TIME else None)
        for name in titles()
        if part.division.classes or not name.startswith("class")
    }


def _option_texts(options: Mapping[str, Any]) -> Iterator[str]:
    for name in _OPTIONS:
        values = options[name] if isinstance(options[name], tuple) else (options[name],)
        if values and values[0] is not None:
            yield f"Only --{name.rstrip('_')} {', '.join(map(str, values))}"
