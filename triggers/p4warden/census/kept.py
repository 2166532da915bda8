"""What a checkpoint and its journals come to: the records that are left, kept in a file of SQLite.

A site's views are far more than what should be held in memory; SQLite keeps them in a file of its
own that is gone with the process, and gives them back in the order of their keys.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

from p4warden.census.tables import NAMES, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.census.tables import Table

CACHE_KIB = 64 * 1024

Row = tuple[Any, ...]


class Kept:
    """The records of the tables that are needed, by the keys that p4d has for them.

    Attributes:
        records: how many records of each table there were, by the name that a journal has for it.
        unreadable: of those of tables that are needed, how many were cut off or are of a shape
            that is not known.
    """

    def __init__(self, *, case_sensitive: bool) -> None:
        """Start without a record; names that differ in case alone are one where it folds them."""
        self.records: Counter[bytes] = Counter()
        self.unreadable: Counter[bytes] = Counter()
        self._case_sensitive = case_sensitive
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"pragma cache_size=-{CACHE_KIB}")
        self._database.execute("pragma journal_mode=off")
        self._database.execute("pragma synchronous=off")
        for table in TABLES.values():
            self._database.execute(_create(table))
        self._database.execute("begin")

    def take(self, block: bytes) -> None:
        """Apply the records of a block, in their order."""
        here = Counter(NAMES.findall(block))
        self.records += here
        for name in TABLES.keys() & here.keys():
            found = self._apply(TABLES[name], block)
            self.unreadable[name] += here[name] - found

    def _apply(self, table: Table, block: bytes) -> int:
        """Apply the records of one table; return how many there were."""
        found = 0
        matches = (match.groups() for match in table.record.finditer(block))
        for delete, records in groupby(matches, key=lambda fields: fields[0] == b"dv"):
            rows = [self._folded(table.row(fields[1:])) for fields in records]
            found += len(rows)
            if delete:
                rows = [row[: table.keys] for row in rows]
            self._database.executemany(_delete(table) if delete else _put(table), rows)
        return found

    def _folded(self, row: Row) -> Row:
        """Return a row with its first column as the server compares it, and then as it is."""
        return (self.fold(row[0]), *row[1:], row[0])

    def fold(self, name: bytes) -> bytes:
        """Return a name as the server compares it."""
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """Yield what a query of SQL gives."""
        yield from self._database.execute(query, values)

    def close(self) -> None:
        """Forget everything."""
        self._database.close()


def _create(table: Table) -> str:
    keys = ", ".join(_columns(table)[: table.keys])
    columns = ", ".join(_columns(table))
    return f"create table {table.name} ({columns}, primary key ({keys})) without rowid"


def _put(table: Table) -> str:
    places = ", ".join("?" * len(_columns(table)))
    return f"insert or replace into {table.name} values ({places})"


def _delete(table: Table) -> str:
    keys = " and ".join(f"{key} = ?" for key in _columns(table)[: table.keys])
    return f"delete from {table.name} where {keys}"  # noqa: S608 - names of our own


def _columns(table: Table) -> list[str]:
    return ["key", *table.columns[1:], "name"]


def grouped(rows: Iterable[Row], columns: int) -> Iterator[tuple[Row, list[Row]]]:
    """Yield rows that agree in their first columns as one, with the rest of each."""
    for first, same in groupby(rows, key=lambda row: row[:columns]):
        yield first, [row[columns:] for row in same]
