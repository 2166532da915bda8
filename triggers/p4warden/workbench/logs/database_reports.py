"""Reports on a log database, one SQL file each under `questions/`.

The first line of a file is the title. Further ones:
`-- needs: NAME`: facts (`missing_facts.NEEDS`) whose absence explains a report without rows.
`-- with: NAME`: puts `questions/parts/NAME.sql` before the query.
`-- waits: N`: waits that this part examines (default: the report's most rows).
`-- unnamed: COLUMN`: an empty cell adds a note, for a wait that no command explains.
`-- unsure: COLUMN`: a number of syncs with uncertain estimates adds a note.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.plural import amount
from p4warden.workbench.logs.missing_facts import reason_for_no_rows
from p4warden.workbench.logs.reader import LogError
from p4warden.workbench.logs.scope import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.workbench.logs.scope import Division, Scope

FOLDER = resources.files("p4warden.workbench.logs").joinpath("questions")
_HEAD = re.compile(r"^-- (needs|with|waits|unnamed|unsure): (\S+)$", re.MULTILINE)


class ReportResult(NamedTuple):
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    reason: str = ""  # for having no rows, or empty
    note: str = ""  # about missing or uncertain values, or empty


def titles() -> dict[str, str]:
    """Return the titles by the reports' names."""
    return {name: sql.splitlines()[0].removeprefix("-- ") for name, sql in _queries().items()}


@contextlib.contextmanager
def open_database(path: str) -> Iterator[sqlite3.Connection]:
    """Open a log database for reading only.

    Raises:
        LogError: the file is missing, or SQLite reports an error, also in the `with` body.
    """
    try:
        address = f"{Path(path).absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            yield database
    except sqlite3.Error as error:
        raise LogError(f"{path}: {error}; create it with p4warden log load LOG...") from error


def last_s(database: sqlite3.Connection) -> float:
    """Return the latest start or end of a command, in seconds since the epoch; 0 without one."""
    query = "SELECT max(max(ifnull(start, 0)), max(ifnull(end, 0))) FROM main.command"
    return float(database.execute(query).fetchone()[0] or 0)


def span_s(database: sqlite3.Connection) -> tuple[float, float]:
    """Return the first start and the last start or end in scope, in seconds since the epoch."""
    query = "SELECT min(start), max(max(ifnull(start, 0)), max(ifnull(end, 0))) FROM command"
    first_s, end_s = database.execute(query).fetchone()
    return float(first_s or 0), float(end_s or 0)


def answer(
    database: sqlite3.Connection, name: str, scope: Scope, division: Division
) -> ReportResult:
    """Run a report on a database that `narrow` has restricted."""
    question = FOLDER.joinpath(f"{name}.sql").read_text("utf-8")
    head = dict(_HEAD.findall(question))
    if "with" in head:
        question = FOLDER.joinpath("parts", f"{head['with']}.sql").read_text("utf-8") + question
    step = STEPS[division.step]
    parameters = {
        "limit": division.limit,
        "waits": int(head.get("waits", division.limit)),
        "step_s": step.seconds,
        "label": step.label,
        "steps_of_label": step.max_units,
        "end_s": division.end_s,
        "from_s": scope.from_s,
        "to_s": scope.to_s,
        "at_s": division.end_s if division.at_s is None else division.at_s,
    }
    cursor = database.execute(question, parameters)
    columns = tuple(column[0] for column in cursor.description)
    rows = cursor.fetchall()
    reason = "" if rows else reason_for_no_rows(database, head.get("needs"), scope)
    return ReportResult(columns, rows, reason, _note(columns, rows, head))


def _note(columns: tuple[str, ...], rows: list[tuple[Any, ...]], head: Mapping[str, str]) -> str:
    cells = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    if None in cells.get(head.get("unnamed", ""), ()):
        return (
            f"where {head['unnamed']} is empty, no command in this log held the lock long enough"
        )
    unsure = sum(filter(None, cells.get(head.get("unsure", ""), ())))
    if unsure:
        return (
            f"{amount(unsure, 'sync')} waited for estimates at the same time as another sync, and "
            "the log does not assign estimates to syncs: estimated_bytes of their users is "
            "approximate"
        )
    return ""


def takers(parameter: str) -> list[str]:
    """Return the names of the reports whose SQL contains a text, such as a parameter's name."""
    return [name for name, sql in _queries().items() if parameter in sql]


def _queries() -> dict[str, str]:
    files = (file for file in FOLDER.iterdir() if file.name.endswith(".sql"))
    return dict(sorted((f.name.removesuffix(".sql"), f.read_text("utf-8")) for f in files))
