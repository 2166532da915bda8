"""Records as the journals change them, in a temporary SQLite file.

The views of a server may exceed the memory; SQLite deletes the file when it is closed.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.workbench.checkpoint.table_list import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from p4warden.workbench.checkpoint.table_list import Row, Table

    Kept = Mapping[str, Callable[[Sequence[Any]], bool]]
    Progress = Callable[[int, int], None]

CACHE_KIB = 64 * 1024
_RECORDS = ("pv", "dv")
_DELETED = "dv"


class File(NamedTuple):
    path: str
    began_s: int | None  # of its first note, in seconds since the epoch


class SmallTables:
    """Each table has its columns, and `key`: the first column as names are compared."""

    def __init__(
        self,
        names: Iterable[str],
        *,
        case_sensitive: bool | None = None,
        kept: Kept | None = None,
    ) -> None:
        """Without `case_sensitive` the order of the checkpoint's records decides.

        `kept` tells by table whether the values of a record are to be kept; all others are dropped
        at once.
        """
        self.names = tuple(names)
        self.unread: Counter[tuple[str, int]] = Counter()
        """Records by table and version whose fields are not as in the list of tables."""
        self.longest_paths: list[tuple[str, int]] = []
        self.files: list[File] = []
        self._kept = kept or {}
        self._case_sensitive = case_sensitive
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"pragma cache_size=-{CACHE_KIB}")
        self._database.execute("pragma journal_mode=off")
        self._database.execute("pragma synchronous=off")
        self._database.create_function("folded", 1, _lower, deterministic=True)
        for name in self.names:
            self._database.execute(_create(tables()[name]))
        self._database.execute("begin")

    def take(self, lines: Iterable[Sequence[Any]], progress: Progress) -> None:
        """Apply what the program printed; if the iteration raises, records before stay applied.

        `progress` gets the number of bytes read and their total.
        """
        for (operation, table), run in groupby(lines, _kind):
            if table is None:
                for word, *values in run:
                    self._hear(word, values, progress)
                continue
            change = _delete if operation == _DELETED else _insert
            rows = self._rows(operation == _DELETED, tables()[table], run)
            self._database.executemany(change(tables()[table]), rows)

    def _rows(
        self,
        is_deleted: bool,  # noqa: FBT001 - private
        table: Table,
        run: Iterable[Sequence[Any]],
    ) -> Iterator[Row]:
        is_kept = self._kept.get(table.name, bool)
        for _, _, values, version in run:
            row = table.row(values, version, is_deleted=is_deleted)
            if row is None:
                self.unread[table.name, version] += 1
            elif is_kept(values):
                name, *others = map(_stored, row)
                yield (self._key(name), *(others if is_deleted else (name, *others)))

    def _hear(self, word: str, values: Sequence[Any], progress: Progress) -> None:
        if word == "at":
            progress(*values)
        elif word == "file":
            self.files.append(File(values[0], None))
        elif word == "nx" and self.files[-1].began_s is None and isinstance(values[-1], int):
            self.files[-1] = self.files[-1]._replace(began_s=values[-1])
        elif word == "path":
            self.longest_paths.append((values[0], values[1]))
        elif word == "case" and self._case_sensitive is None:
            self._decide_case(is_folded=values[0] == "folded")

    def _decide_case(self, *, is_folded: bool) -> None:
        self._case_sensitive = not is_folded
        if is_folded:
            for name in self.names:
                self._database.execute(_fold(name))

    def _key(self, name: Any) -> Any:
        return name if self._case_sensitive is not False else _lower(name)

    def rows(
        self, query: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> Iterator[Row]:
        """Yield the rows of a query; bytes that are not UTF-8 become surrogate escapes."""
        for row in self._database.execute(query, values):
            yield tuple(
                value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
                for value in row
            )

    def key(self, name: str) -> Any:
        """Return the key of a name, for a query."""
        return self._key(_stored(name))

    def unread_counts(self) -> Counter[str]:
        """Count the unread records by table."""
        counts: Counter[str] = Counter()
        for (table, _), number in self.unread.items():
            counts[table] += number
        return counts

    def close(self) -> None:
        self._database.close()


def _kind(line: Sequence[Any]) -> tuple[str, str | None]:
    return (line[0], line[1]) if line[0] in _RECORDS else ("", None)


def _stored(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _lower(name: Any) -> Any:
    return name.lower() if isinstance(name, bytes) else name


# SQL contains only names from the list of tables; values are bound parameters.
def _create(table: Table) -> str:
    keys = ", ".join(["key", *table.columns[1 : table.keys]])
    columns = ", ".join(["key", *table.columns])
    return f'create table "{table.name}" ({columns}, primary key ({keys})) without rowid'


def _insert(table: Table) -> str:
    places = ", ".join("?" * (len(table.columns) + 1))
    return f'insert or replace into "{table.name}" values ({places})'  # noqa: S608


def _delete(table: Table) -> str:
    others = [f"{column} = ?" for column in table.columns[1 : table.keys]]
    keys = " and ".join(["key = ?", *others])
    return f'delete from "{table.name}" where {keys}'  # noqa: S608


def _fold(name: str) -> str:
    return f'update or replace "{name}" set key = folded(key)'  # noqa: S608
