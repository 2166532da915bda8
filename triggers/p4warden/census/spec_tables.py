"""Store the database records that a census needs in a temporary SQLite file.

The records of a checkpoint are stored as its journals change them. A file is used because the
views of a server may exceed the memory; SQLite deletes it when the database is closed or the
process ends.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from p4warden.census.db_tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.census.db_tables import Table

CACHE_KIB = 64 * 1024
_DELETED = "dv"

Row = tuple[Any, ...]


class Record(Protocol):
    """Interface of a journal record of a database table, or of a journal note."""

    @property
    def operation(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def values(self) -> list[Any]: ...


class SpecTables:
    """SQLite store of the database records that a census needs, in their final state.

    Attributes:
        unreadable_counts: the number of records with an unknown shape, by table name.
    """

    def __init__(self, *, case_sensitive: bool) -> None:
        """Create an empty store of journal records in a temporary file.

        Unless `case_sensitive`, names that differ only in case are equal, as on such a server.
        """
        self.unreadable_counts: Counter[str] = Counter()
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
        """Apply journal records in order; if the iteration raises, those before stay applied."""
        for (operation, table), run in groupby(records, _kind):
            if not table:
                for note in run:
                    self._note(note.values)
                continue
            change = _delete if operation == _DELETED else _put
            rows = self._rows(operation, TABLES[table], run)
            self._database.executemany(change(TABLES[table]), rows)

    def _rows(self, operation: str, table: Table, run: Iterable[Record]) -> Iterator[Row]:
        """Yield an SQLite row for each journal record of a table; if deleted, only its key."""
        deletes = operation == _DELETED
        for record in run:
            row = table.row(record.values, table.keys if deletes else len(table.columns))
            if row is None:
                self.unreadable_counts[f"db.{record.table}"] += 1
                continue
            name, *others = map(_stored, row)
            yield (self.fold(name), *(others if deletes else (name, *others)))

    def _note(self, values: list[Any]) -> None:
        time_s = values[1] if len(values) > 1 else None
        if self._began_s is None and isinstance(time_s, int):
            self._began_s = time_s

    def began(self) -> int | None:
        """Return the time of the first journal note or transaction read since the last call.

        In seconds since the epoch; None if there was none.
        """
        began_s, self._began_s = self._began_s, None
        return began_s

    def fold(self, name: bytes) -> bytes:
        """Return a name as the server compares it: in lower case on a case-insensitive server."""
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """Run an SQL query on the stored database records; return an iterator of its rows."""
        return self._database.execute(query, values)

    def close(self) -> None:
        """Close the SQLite database, which deletes all stored records."""
        self._database.close()


def _kind(record: Record) -> tuple[str, str]:
    return record.operation, record.table


def _stored(value: Any) -> Any:
    """Convert a value of a journal record for SQLite: a text becomes its bytes."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


# SQL statements contain only names from this package; values from a journal are bound parameters.
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
