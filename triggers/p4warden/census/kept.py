"""The records that a checkpoint and its journals leave, kept in a file of SQLite.

A site's views are far more than what should be held in memory; SQLite keeps them in a file of its
own that is gone with the process, and gives them back in the order of their keys.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Protocol

from p4warden.census.db_tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.census.db_tables import Table

CACHE_KIB = 64 * 1024
_AT_ONCE = 10_000
_DELETED = "dv"

Row = tuple[Any, ...]


class Record(Protocol):
    """A record of a table, or a note; `p4warden.index.records` says more."""

    @property
    def operation(self) -> str: ...  # noqa: D102 - as there
    @property
    def table(self) -> str: ...  # noqa: D102 - as there
    @property
    def values(self) -> list[Any]: ...  # noqa: D102 - as there


class Kept:
    """The records of the tables that are needed, by the keys that p4d has for them.

    Attributes:
        marks: the head (0) and the end (1) of a checkpoint, as far as they were seen.
        unreadable: of those of tables that are needed, how many are of a shape that is not known.
    """

    def __init__(self, *, case_sensitive: bool) -> None:
        """Start without a record; names that differ in case alone are one where it folds them."""
        self.unreadable: Counter[str] = Counter()
        self.marks: set[int] = set()
        self._began_s: int | None = None
        self._case_sensitive = case_sensitive
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"pragma cache_size=-{CACHE_KIB}")
        self._database.execute("pragma journal_mode=off")
        self._database.execute("pragma synchronous=off")
        for table in TABLES.values():
            self._database.execute(_create(table))
        self._database.execute("begin")

    def take(self, records: Iterable[Record]) -> None:
        """Apply records in their order; an error that comes on the way finds those before kept."""
        for (operation, table), run in groupby(records, _kind):
            if not table:
                for note in run:
                    self._note(operation, note.values)
                continue
            while rows := [*islice(self._rows(operation, TABLES[table], run), _AT_ONCE)]:
                change = _delete if operation == _DELETED else _put
                self._database.executemany(change(TABLES[table]), rows)

    def _rows(self, operation: str, table: Table, run: Iterable[Record]) -> Iterator[Row]:
        """Yield the rows of records of one table that are put, or the keys of those deleted."""
        deletes = operation == _DELETED
        for record in run:
            row = table.row(record.values, table.keys if deletes else len(table.columns))
            if row is None:
                self.unreadable[f"db.{record.table}"] += 1
                continue
            name, *others = map(_stored, row)
            yield (self.fold(name), *(others if deletes else (name, *others)))

    def _note(self, operation: str, values: list[Any]) -> None:
        if operation == "nx" and values:
            self.marks.add(values[0])
        time_s = values[1] if len(values) > 1 else None
        if self._began_s is None and isinstance(time_s, int):
            self._began_s = time_s

    def began(self) -> int | None:
        """Return the first time that was noted since this was asked last, since the epoch."""
        began_s, self._began_s = self._began_s, None
        return began_s

    def fold(self, name: bytes) -> bytes:
        """Return a name as the server compares it."""
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """Return what a query of SQL gives."""
        return self._database.execute(query, values)

    def close(self) -> None:
        """Forget everything."""
        self._database.close()


def _kind(record: Record) -> tuple[str, str]:
    return record.operation, record.table


def _stored(value: Any) -> Any:
    """Return a value as SQLite keeps it: a text by its bytes."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


# These statements contain names of our own only; values from a file are bound to them.
def _create(table: Table) -> str:
    keys = ", ".join(["key", *table.columns[1 : table.keys]])
    columns = ", ".join(["key", *table.columns])
    return f"create table {table.name} ({columns}, primary key ({keys})) without rowid"


def _put(table: Table) -> str:
    places = ", ".join("?" * (len(table.columns) + 1))
    return f"insert or replace into {table.name} values ({places})"  # noqa: S608


def _delete(table: Table) -> str:
    others = [f"{column} = ?" for column in table.columns[1 : table.keys]]
    keys = " and ".join(["key = ?", *others])
    return f"delete from {table.name} where {keys}"  # noqa: S608
