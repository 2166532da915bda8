from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

NAMES = frozenset("user client ip via prog version command name kind operation".split())
"""Columns with an id of the table `name`; `command` is one only in the table `command`."""

TIMES = frozenset(("start", "end", "time"))
"""Seconds since the epoch, exported as timestamps."""

_OF_COMMAND = (
    "SELECT command.server, command.start AS since, part.* FROM {} AS part "
    "CROSS JOIN command ON command.id = part.command"
)
_QUERIES = {
    "command": "SELECT server, ifnull(start, end) AS since, command.*, argument.text AS args "
    "FROM command LEFT JOIN argument ON argument.command = command.id",
    **{table: _OF_COMMAND.format(table) for table in ("table_use", "archive", "trigger_run")},
    "error": "SELECT server, time AS since, error.* FROM error",
    "event": "SELECT server, time AS since, event.* FROM event",
}


class Column(NamedTuple):
    name: str
    kind: str  # `name`, `time`, `whole`, `real` or `text`


class Source(NamedTuple):
    name: str
    query: str  # returns the id of the server, a time, then the columns
    columns: tuple[Column, ...]  # without `server` and `file`


def sources(database: sqlite3.Connection) -> list[Source]:
    """Return the query and the columns of each exported table."""
    return [_source(database, name) for name in _QUERIES]


def _source(database: sqlite3.Connection, table: str) -> Source:
    columns = tuple(Column(*name_and_kind) for name_and_kind in _columns(database, table))
    names = ", ".join(f'"{column.name}"' for column in columns)
    rows = _QUERIES[table]
    return Source(table, f"SELECT server, since, {names} FROM ({rows})", columns)  # noqa: S608 - names of the schema


def _columns(database: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    query = "SELECT name, type FROM pragma_table_info(?)"
    for name, of_type in database.execute(query, (table,)).fetchall():
        if name not in ("server", "file"):
            yield name, _kind(table, name, of_type)
    if table == "command":
        yield "args", "text"


def _kind(table: str, name: str, of_type: str) -> str:
    if name in TIMES:
        return "time"
    if name in NAMES and (name != "command" or table == "command"):
        return "name"
    return {"INTEGER": "whole", "REAL": "real"}.get(of_type, "text")
