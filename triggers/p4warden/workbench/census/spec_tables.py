"""Records of a checkpoint as its journals change them, in a temporary SQLite file.

The views of a server may exceed the memory; SQLite deletes the file when it is closed.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from p4warden.index.records import DELETED
from p4warden.workbench.census.db_tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.index.records import Record
    from p4warden.workbench.census.db_tables import Table

CACHE_KIB = 64 * 1024

Row = tuple[Any, ...]


class SpecTables:
    def __init__(self, *, case_sensitive: bool) -> None:
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
        """Apply records in order; if the iteration raises, those before stay applied."""
        for (operation, table), run in groupby(records, attrgetter("operation", "table")):
            if not table:
                for note in run:
                    self._note(note.values)
                continue
            change = _delete if operation == DELETED else _insert
            rows = self._rows(operation, TABLES[table], run)
            self._database.executemany(change(TABLES[table]), rows)

    def _rows(self, operation: str, table: Table, run: Iterable[Record]) -> Iterator[Row]:
        deletes = operation == DELETED
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
        """Seconds since the epoch of the first note since the last call; None without one."""
        began_s, self._began_s = self._began_s, None
        return began_s

    def fold(self, name: bytes) -> bytes:
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        return self._database.execute(query, values)

    def close(self) -> None:
        self._database.close()


def _stored(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


# SQL contains only names from this package; values from a journal are bound parameters.
def _create(table: Table) -> str:
    keys = ", ".join(["key", *table.columns[1 : table.keys]])
    columns = ", ".join(["key", *table.columns])
    return f"create table {table.name} ({columns}, primary key ({keys})) without rowid"


def _insert(table: Table) -> str:
    places = ", ".join("?" * (len(table.columns) + 1))
    return f"insert or replace into {table.name} values ({places})"  # noqa: S608


def _delete(table: Table) -> str:
    others = [f"{column} = ?" for column in table.columns[1 : table.keys]]
    keys = " and ".join(["key = ?", *others])
    return f"delete from {table.name} where {keys}"  # noqa: S608
