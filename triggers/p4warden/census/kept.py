"""The records that a checkpoint and its journals leave, kept in a file of SQLite.

A site's views are far more than what should be held in memory; SQLite keeps them in a file of its
own that is gone with the process, and gives them back in the order of their keys.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

from p4warden.census.db_tables import MARKS, NAMES, NUMBERS, TABLES, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.census.db_tables import Table

CACHE_KIB = 64 * 1024
_DELETED = b"dv"

Row = tuple[Any, ...]


class Kept:
    """The records of the tables that are needed, by the keys that p4d has for them.

    Attributes:
        records: how many records of each table there were, by the name that a journal has for it.
        marks: the head (0) and the end (1) of a checkpoint, as far as they were seen.
        unreadable: of those of tables that are needed, how many were cut off or are of a shape
            that is not known.
    """

    def __init__(self, *, case_sensitive: bool) -> None:
        """Start without a record; names that differ in case alone are one where it folds them."""
        self.records: Counter[bytes] = Counter()
        self.unreadable: Counter[bytes] = Counter()
        self.marks: set[bytes] = set()
        self._began_s: int | None = None
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
        self.marks.update(MARKS.findall(block))
        if self._began_s is None and (noted := TIME.search(block)):
            self._began_s = int(noted[1])
        for name in TABLES.keys() & here.keys():
            table = TABLES[name]
            found = table.record.findall(block)
            self.unreadable[name] += here[name] - len(found)
            for delete, records in _by_operation(found):
                rows = map(self._row, records)
                if delete:
                    keys = (row[:1] + row[2 : table.keys + 1] for row in rows)
                    self._database.executemany(_delete(table), keys)
                else:
                    self._database.executemany(_put(table), rows)

    def began(self) -> int | None:
        """Return the first time that was noted since this was asked last, since the epoch."""
        began_s, self._began_s = self._began_s, None
        return began_s

    def _row(self, fields: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Return a record's fields as they are stored, the operation in the place of the key."""
        if b"@@" in b" ".join(fields):
            fields = tuple(field.replace(b"@@", b"@") for field in fields)
        return (self.fold(fields[1]), *fields[1:])

    def fold(self, name: bytes) -> bytes:
        """Return a name as the server compares it."""
        return name if self._case_sensitive else name.lower()

    def rows(self, query: str, *values: object) -> Iterator[Row]:
        """Return what a query of SQL gives."""
        return self._database.execute(query, values)

    def close(self) -> None:
        """Forget everything."""
        self._database.close()


def _by_operation(found: list[tuple[bytes, ...]]) -> Iterator[tuple[bool, Iterable[Any]]]:
    """Yield runs of records that are put or deleted, each with which of the two it is."""
    if any(fields[0] == _DELETED for fields in found):
        yield from groupby(found, key=lambda fields: fields[0] == _DELETED)
    else:
        yield False, found


# These statements contain names of our own only; values from a file are bound to them.
def _create(table: Table) -> str:
    keys = ", ".join(["key", *table.columns[1 : table.keys]])
    columns = ", ".join(["key", *table.columns])
    return f"create table {table.name} ({columns}, primary key ({keys})) without rowid"


def _put(table: Table) -> str:
    places = ", ".join(["?", *map(_place, table.columns)])
    return f"insert or replace into {table.name} values ({places})"  # noqa: S608


def _delete(table: Table) -> str:
    others = [f"{column} = {_place(column)}" for column in table.columns[1 : table.keys]]
    keys = " and ".join(["key = ?", *others])
    return f"delete from {table.name} where {keys}"  # noqa: S608


def _place(column: str) -> str:
    """Return where a field goes; SQLite makes numbers of their digits faster than Python."""
    return "cast(? as integer)" if column in NUMBERS else "?"
