"""Count a checkpoint's files and revisions exactly, as the reference for index tests.

No code of p4warden is used: a separate parser reads the records, SQLite orders and replaces them
(NOCASE folds ASCII only), and the number of records in a range is a difference of two positions in
the sorted paths.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_RECORD = re.compile(
    rb"^@(pv|rv|dv)@ \d+ @db\.(rev|revhx|revdx|have|view|domain)@ "
    rb"((?:@(?:[^@]|@@)*@|[^@\n])*)\n",
    re.MULTILINE,
)
_VALUE = re.compile(rb"@((?:[^@]|@@)*)@|(\S+)")
_WILDCARD = re.compile(r"\.\.\.|\*|%%[0-9]")
_KEYS = {
    "rev": "path text, rev integer, primary key (path, rev)",
    "heads": "path text, kind text, rev integer, primary key (path, kind, rev)",
    "have": "path text, primary key (path)",
    "view": "name text, seq integer, flag integer, depot text, primary key (name, seq)",
    "domain": "name text, type integer, options integer, server text, primary key (name)",
}
_BEHIND = "\U0010ffff"


class Spans(NamedTuple):
    """The ranges that some depot paths with wildcards span.

    Attributes:
        tree_starts: starts of paths; every path with such a start is in a range.
        directory_starts: starts of paths; every path with such a start and no `/` after it is in a
            range.
        paths: whole paths of single files.
    """

    tree_starts: set[str]
    directory_starts: set[str]
    paths: set[str]


class ExactCounts:
    """Exact counts of the files and revisions in a checkpoint and journals, to check an index."""

    def __init__(self, files: Iterable[Path], *, folds: bool) -> None:
        """Read checkpoints, then journals, in this order, into a SQLite database in memory.

        With `folds`, names are compared without case.
        """
        self._folds = folds
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        for table, columns in _KEYS.items():
            text = columns.replace(" text", " text collate nocase") if folds else columns
            self._database.execute(f"create table {table} ({text}) without rowid")
        for file in files:
            self._read(file.read_bytes())
        self.revisions = _Table(self._folded("select path from rev order by path, rev"))
        heads = self._folded("select distinct path from heads order by path")
        self.files = _Table(heads or sorted(set(self.revisions.paths)))

    def close(self) -> None:
        """Close the SQLite database in memory, which deletes the records read from the files."""
        self._database.close()

    def count(self, path: str) -> tuple[int, int]:
        """Return the exact numbers of files and revisions that a depot path spans."""
        spans = self._spans([path])
        return self.files.count(spans), self.revisions.count(spans)

    def files_of(self, paths: Iterable[str]) -> int:
        """Return the exact number of files that at least one of the depot paths spans."""
        return self.files.count(self._spans(paths))

    def clients(self) -> dict[str, tuple[int, int, int | None]]:
        """Return for each client name the numbers of files, revisions and synced files.

        Files and revisions are those that the client's view spans. The number of synced files is
        None if the checkpoint may lack the client's `db.have` records.
        """
        have_counts = Counter(path.split("/")[2] for path in self._folded("select path from have"))
        results = {}
        query = "select name, options, server from domain where type = 99"
        for name, options, server in self._database.execute(query):
            lines = "select depot from view where name = ? and flag not in (1, 3)"
            spans = self._spans([row[0] for row in self._database.execute(lines, (name,))])
            its = have_counts[self._fold(name)]
            present = its if not (options & 0x10000 or (server and not its)) else None
            results[name] = self.files.count(spans), self.revisions.count(spans), present
        return results

    def _fold(self, text: str) -> str:
        return _lower(text) if self._folds else text

    def _folded(self, query: str) -> list[str]:
        return [self._fold(row[0]) for row in self._database.execute(query)]

    def _spans(self, paths: Iterable[str]) -> Spans:
        spans = Spans(set(), set(), set())
        for path in map(self._fold, paths):
            results = _WILDCARD.search(path)
            rest = path[results.start() :] if results else ""
            literal = path[: len(path) - len(rest)]
            kind = spans.tree_starts if "..." in rest or "/" in rest else spans.directory_starts
            (kind if rest else spans.paths).add(literal)
        return spans

    def _read(self, text: bytes) -> None:
        self._database.execute("begin")
        for record in _RECORD.finditer(text):
            values = [_plain(value) for value in _VALUE.finditer(record[3])]
            self._apply(record[2].decode(), values, is_there=record[1] != b"dv")
        self._database.execute("commit")

    def _apply(self, table: str, values: list[str], *, is_there: bool) -> None:
        if table in ("revhx", "revdx"):
            table, row, keys = "heads", [values[0], table, values[1]], "path kind rev"
        elif table == "rev":
            row, keys = values[:2], "path rev"
        elif table == "have":
            row, keys = values[:1], "path"
        elif table == "view":
            row, keys = [values[0], values[1], values[2], values[4]], "name seq"
        else:
            row, keys = [values[0], values[1], values[9], values[12]], "name"
        if is_there:
            marks = ", ".join("?" * len(row))
            query = f"insert or replace into {table} values ({marks})"  # noqa: S608 - constant names
            self._database.execute(query, row)
        else:
            where = " and ".join(f"{key} = ?" for key in keys.split())
            count = len(keys.split())
            query = f"delete from {table} where {where}"  # noqa: S608 - constant names
            self._database.execute(query, row[:count])


class _Table:
    """Sorted paths of files, or of revisions: then a path occurs once for each revision."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = sorted(paths)
        self._names: dict[str, list[str]] = defaultdict(list)
        self._places_of: dict[str, list[int]] = defaultdict(list)
        for place, path in enumerate(self.paths):
            directory, _, name = path.rpartition("/")
            self._names[directory].append(name)
            self._places_of[directory].append(place)

    def count(self, spans: Spans) -> int:
        """Return the number of paths, repeated ones included, in at least one of the ranges."""
        inside: set[int] = set()
        total = 0
        ranges = self._merged(spans.tree_starts)
        for start, end in ranges:
            total += end - start
        for place in self._places(spans):
            if not ranges or not any(start <= place < end for start, end in ranges):
                inside.add(place)
        return total + len(inside)

    def _merged(self, literals: Iterable[str]) -> list[tuple[int, int]]:
        ranges: list[tuple[int, int]] = []
        for literal in sorted(literals):
            start, end = (
                bisect_left(self.paths, literal),
                bisect_left(self.paths, literal + _BEHIND),
            )
            if not ranges or start >= ranges[-1][1]:
                ranges.append((start, end))
        return ranges

    def _places(self, spans: Spans) -> Iterator[int]:
        for literal in spans.directory_starts:
            directory, _, name = literal.rpartition("/")
            names = self._names.get(directory, [])
            start, end = bisect_left(names, name), bisect_left(names, name + _BEHIND)
            yield from self._places_of.get(directory, [])[start:end]
        for literal in spans.paths:
            yield from range(bisect_left(self.paths, literal), bisect_right(self.paths, literal))


def _plain(value: re.Match[bytes]) -> str:
    raw = value[1] if value[1] is not None else value[2]
    return raw.replace(b"@@", b"@").decode("utf-8", "surrogateescape")


def _lower(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)
