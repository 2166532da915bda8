from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.facts import MAX_DIRECTORIES
from p4warden.core.patterns import fold
from p4warden.core.printable import decoded
from p4warden.core.records import Depot
from p4warden.index.build import printed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping


class Counts(NamedTuple):
    files: int  # in `db.revhx` and `db.revdx`, each counted once
    revisions: int  # in `db.rev`
    have: int | None  # in `db.have`; None if the checkpoint lacks them


@contextlib.contextmanager
def client_counts(index: str, *, case_sensitive: bool) -> Iterator[Callable[[str], Counts | None]]:
    """Yield a lookup of a client's counts, which are on disk, to save memory.

    Raises:
        IndexFileError: the index cannot be read.
    """

    def key(name: str) -> bytes:
        return fold(name, case_sensitive=case_sensitive).encode("utf-8", "surrogateescape")

    def counts_of(name: str) -> Counts | None:
        query = "select files, revisions, have from client where name = ?"
        row = database.execute(query, (key(decoded(name)),)).fetchone()
        return Counts(*row) if row else None

    with contextlib.closing(sqlite3.connect("", isolation_level=None)) as database:
        database.execute(
            "create table client (name primary key, files, revisions, have) without rowid"
        )
        database.execute("begin")
        rows = ((key(name), *counts) for name, counts in clients(index))
        database.executemany("insert or replace into client values (?, ?, ?, ?)", rows)
        yield counts_of


def head(index: str) -> dict[str, Any]:
    """Return the head of an index, as `p4warden-index show` prints it.

    `time_s`, of the checkpoint or the last journal, is in seconds since the epoch.

    Raises:
        IndexFileError: the index cannot be read; so do all functions of this module.
    """
    [line] = _lines("show", index)
    return line


def case(index: str) -> str:
    """Return `sensitive`, `folded`, or `either` if the order of the records fits both."""
    return str(head(index)["case"])


def clients(index: str) -> Iterator[tuple[str, Counts]]:
    """Yield each client's name with its counts."""
    for row in _lines("clients", index):
        yield row["client"], Counts(row["files"], row["revisions"], row["have"])


def owners(index: str) -> Iterator[tuple[str, str]]:
    """Yield each client's name with its owner, which is empty if it has none."""
    for row in _lines("clients", index):
        yield row["client"], row["owner"]


def client_files(index: str) -> list[int]:
    """Return the numbers of files that the clients span."""
    return [row["files"] for row in _lines("clients", index)]


def depots(index: str, types: Mapping[int, str]) -> dict[str, Depot]:
    """Return depots by name, with the top directories that contain files.

    Of more than `MAX_DIRECTORIES` only the number is returned; `types` names the types by their
    numbers in `db.depot`.
    """
    depot_types: dict[str, str] = {}
    directories: dict[str, list[str]] = {}
    for line in _lines("places", index):
        name, _, subpath = line["path"][2:].rstrip("/").partition("/")
        if subpath:
            directories.setdefault(name, []).append(subpath)
        elif "type" in line:
            depot_types[name] = types.get(line["type"], "local")
    return {name: _depot(kind, directories.get(name, [])) for name, kind in depot_types.items()}


def path_lengths(index: str) -> list[tuple[int, int]]:
    """Return lengths of paths in bytes, shortest first, with the numbers of sampled files."""
    return [(row["bytes"], row["files"]) for row in _lines("lengths", index)]


def leading_parts(index: str) -> list[tuple[str, int]]:
    """Return the directories with a hundredth of all revisions or more, outer ones first.

    Each with its revisions, as every n-th of them counts.
    """
    return [(row["directory"], row["revisions"]) for row in _lines("leading", index)]


def places(
    index: str, uncounted_types: Collection[int]
) -> list[tuple[str, int | None, int | None]]:
    """Return path (`//depot/main/`), files and revisions of depots and top directories.

    Those of a depot of `uncounted_types`, by the number in `db.depot`, are None: its files are on
    another server, or in tables that an index does not read.
    """
    return [
        (row["path"], None, None)
        if row.get("type") in uncounted_types
        else (row["path"], row["files"], row["revisions"])
        for row in _lines("places", index)
    ]


def counts(index: str, paths: Iterable[str]) -> list[int]:
    """Return the numbers of files that the depot paths span."""
    with tempfile.TemporaryFile() as source:
        source.write("\n".join(paths).encode("utf-8", "surrogateescape"))
        source.seek(0)
        return [row["files"] for row in printed(["count", index, "-"], source)]


def _depot(kind: str, directories: list[str]) -> Depot:
    names = tuple(directories) if len(directories) <= MAX_DIRECTORIES else None
    return Depot(kind, names, len(directories))


def _lines(subcommand: str, index: str) -> Iterator[dict[str, Any]]:
    return printed([subcommand, "--", index])
