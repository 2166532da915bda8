"""Export of a log database as Parquet files, for programs such as DuckDB and Spark.

A table's folder has one for each server, and that one for each local day. Exports can share a
folder: the column `source` names the export, and `id` numbers its commands.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow
import pyarrow.compute

from p4warden.workbench.logs.parquet_files import PartFiles, Partition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

BATCH_ROWS = 5_000
_TYPES = {
    "whole": pyarrow.int64(),
    "real": pyarrow.float64(),
    "text": pyarrow.string(),
    "name": pyarrow.int64(),
    "time": pyarrow.float64(),
}
_MOMENT = pyarrow.timestamp("us", tz="UTC")
_QUARTER_S = 900

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


class NameTables(NamedTuple):
    names: pyarrow.StringArray
    servers: dict[int | None, str | None]


def export(database: sqlite3.Connection, folder: str) -> dict[str, int]:
    """Write the tables of `_QUERIES`; return the number of rows by table.

    They replace an earlier export's files when all are complete; no incomplete file is left.

    Raises:
        OSError: a file cannot be written, renamed or deleted.
    """
    words, source = _words(database), _source(database)
    counts, files = {}, []
    try:
        for name in _QUERIES:
            table = _table_of(database, name)
            files.append(PartFiles(Path(folder) / table.name, source))
            counts[table.name] = _write(database, table, files[-1], words)
        for one in files:
            one.complete()
        for one in files:
            one.replace()
    except BaseException:
        for one in files:
            one.discard()
        raise
    return counts


def _words(database: sqlite3.Connection) -> NameTables:
    names = database.execute("SELECT text FROM name ORDER BY id").fetchall()
    servers = dict(database.execute("SELECT id, name FROM server"))
    return NameTables(pyarrow.array([text for (text,) in names], pyarrow.string()), servers)


def _source(database: sqlite3.Connection) -> str:
    """Name an export by its first time, in UTC."""
    query = "SELECT coalesce((SELECT min(start) FROM command), (SELECT min(time) FROM event))"
    first_s = database.execute(query).fetchone()[0]
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime(first_s or 0))


def _write(
    database: sqlite3.Connection, table: Source, files: PartFiles, words: NameTables
) -> int:
    rows, count = database.execute(table.query), 0
    day_of = _Days()
    while batch := rows.fetchmany(BATCH_ROWS):
        servers, times, *values = zip(*batch, strict=True)
        all_rows = _table(table.columns, values, files.source, words)
        for server, day, part in _parts(servers, times, day_of, all_rows):
            files.write(Partition(words.servers.get(server), day), part)
        count += len(batch)
    return count


class _Days(dict["float | None", "str | None"]):
    """Local days, `YYYY-MM-DD`, by seconds since the epoch.

    They are computed once per quarter-hour: time zones differ by whole quarter-hours.
    """

    def __missing__(self, time_s: float | None) -> str | None:
        if time_s is None:
            return None
        since_s = time_s // _QUARTER_S * _QUARTER_S
        if since_s != time_s:
            return self[since_s]
        self[since_s] = time.strftime("%Y-%m-%d", time.localtime(since_s))
        return self[since_s]


def _parts(
    servers: Sequence[int | None],
    times: Sequence[float | None],
    day_of: _Days,
    all_rows: pyarrow.Table,
) -> Iterator[tuple[int | None, str | None, pyarrow.Table]]:
    present = [time_s for time_s in times if time_s is not None]
    is_one = len(set(servers)) == 1 and len(present) == len(times)
    if is_one and day_of[min(present)] == day_of[max(present)]:
        yield servers[0], day_of[present[0]], all_rows
        return
    places: dict[tuple[int | None, str | None], list[int]] = {}
    for place, (server, time_s) in enumerate(zip(servers, times, strict=True)):
        places.setdefault((server, day_of[time_s]), []).append(place)
    for (server, day), rows in places.items():
        yield server, day, all_rows.take(pyarrow.array(rows))


def _table(
    columns: Sequence[Column], values: Sequence[Sequence[Any]], source: str, words: NameTables
) -> pyarrow.Table:
    arrays = {"source": pyarrow.repeat(pyarrow.scalar(source), len(values[0]))}
    for column, cells in zip(columns, values, strict=True):
        arrays[column.name] = _array(column, cells, words)
    return pyarrow.table(arrays)


def _array(column: Column, values: Sequence[Any], words: NameTables) -> pyarrow.Array:
    array = pyarrow.array(values, _TYPES[column.kind])
    if column.kind == "name":
        return words.names.take(pyarrow.compute.subtract(array, 1))
    if column.kind == "time":
        in_us = pyarrow.compute.round(pyarrow.compute.multiply(array, 1e6))
        return in_us.cast(pyarrow.int64()).cast(_MOMENT)
    return array


def _table_of(database: sqlite3.Connection, table: str) -> Source:
    columns = tuple(_columns(database, table))
    names = ", ".join(f'"{column.name}"' for column in columns)
    rows = _QUERIES[table]
    return Source(table, f"SELECT server, since, {names} FROM ({rows})", columns)  # noqa: S608 - names of the schema


def _columns(database: sqlite3.Connection, table: str) -> Iterator[Column]:
    query = "SELECT name, type FROM pragma_table_info(?)"
    for name, of_type in database.execute(query, (table,)).fetchall():
        if name not in ("server", "file"):
            yield Column(name, _kind(table, name, of_type))
    if table == "command":
        yield Column("args", "text")


def _kind(table: str, name: str, of_type: str) -> str:
    if name in TIMES:
        return "time"
    if name in NAMES and (name != "command" or table == "command"):
        return "name"
    return {"INTEGER": "whole", "REAL": "real"}.get(of_type, "text")
