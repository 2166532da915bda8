"""Store the final records of a checkpoint and its journals in an SQLite file.

A site's views may exceed the memory, so SQLite keeps them in a temporary file that disappears with
the process, and returns them in the order of their keys.
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
    """A record of a table, or a note; `p4warden.index.records` has the details."""

    @property
    def operation(self) -> str: ...  # noqa: D102 - as there
    @property
    def table(self) -> str: ...  # noqa: D102 - as there
    @property
    def values(self) -> list[Any]: ...  # noqa: D102 - as there


class SpecTables:
    """The present records of the needed tables, by the keys that p4d uses.

    Attributes:
        marks: the head (0) and the end (1) of a checkpoint, as far as they were read.
        unreadable: the number of records in needed tables that have an unknown shape.
    """

    def __init__(self, *, case_sensitive: bool) -> None:
        """Start without records.

        Unless `case_sensitive`, names that differ only in case are equal.
        """
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
        """Apply records in order; if the iteration raises, the records before are kept."""
        for (operation, table), run in groupby(records, _kind):
            if not table:
                for note in run:
                    self._note(operation, note.values)
                continue
            while rows := [*islice(self._rows(operation, TABLES[table], run), _AT_ONCE)]:
                change = _delete if operation == _DELETED else _put
                self._database.executemany(change(TABLES[table]), rows)

    def _rows(self, operation: str, table: Table, run: Iterable[Record]) -> Iterator[Row]:
        """Yield the rows of new records of one table, or the keys of deleted ones."""
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
        """Return the time of the first note or transaction read since this method's last call.

        In seconds since the epoch; None if there was none.
        """
        began_s, self._began_s = self._began_s, None
        return began_s

    def fold(self, name: bytes) -> bytes:
        """Return a name as the server compares it: in lower case if it ignores case."""
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """Return the rows of an SQL query on the checkpoint records in the temporary database."""
        return self._database.execute(query, values)

    def close(self) -> None:
        """Close the temporary database, which deletes all stored records."""
        self._database.close()


def _kind(record: Record) -> tuple[str, str]:
    return record.operation, record.table


def _stored(value: Any) -> Any:
    """Return a value in the form stored in SQLite: a text as its bytes."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


# These statements contain only names from this package; values from a file are bound parameters.
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
