"""Read checkpoint indexes, and the longest depot paths of checkpoints, by `p4warden-index`."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.facts import MAX_DIRECTORIES
from p4warden.core.printable import decoded
from p4warden.core.records import Depot
from p4warden.index.build import NAME, IndexFileError, program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class Counts(NamedTuple):
    """Numbers of database records that a client's view spans, and of its have list.

    Attributes:
        files: files in `db.revhx` and `db.revdx`, each counted once.
        revisions: revisions in `db.rev`.
        have: the client's records in `db.have`; None if the checkpoint does not contain them.
    """

    files: int
    revisions: int
    have: int | None


class ClientCounts:
    """The file, revision and have counts of all clients in a checkpoint index.

    They are copied into a temporary database on disk, to save memory.
    """

    def __init__(self, index: str, *, case_sensitive: bool) -> None:
        """Read the file, revision and have counts of all clients from a checkpoint index.

        Raises:
            IndexFileError: the index cannot be read.
        """
        self._case_sensitive = case_sensitive
        self._database = sqlite3.connect("", isolation_level=None)
        with contextlib.ExitStack() as on_error:
            on_error.callback(self.close)
            self._read(index)
            on_error.pop_all()

    def _read(self, index: str) -> None:
        self._database.execute(
            "create table client (name primary key, files, revisions, have) without rowid"
        )
        self._database.execute("begin")
        rows = ((self._key(name), *counts) for name, counts in clients(index))
        self._database.executemany("insert or replace into client values (?, ?, ?, ?)", rows)

    def of(self, name: str) -> Counts | None:
        """Return the file, revision and have counts of a client; None if the index lacks it."""
        query = "select files, revisions, have from client where name = ?"
        row = self._database.execute(query, (self._key(decoded(name)),)).fetchone()
        return Counts(*row) if row else None

    def close(self) -> None:
        """Close the temporary database of client counts, which deletes it."""
        self._database.close()

    def _key(self, name: str) -> bytes:
        """Return a client name for comparison: in lower case (ASCII) if the server folds case."""
        name_bytes = name.encode("utf-8", "surrogateescape")
        return name_bytes if self._case_sensitive else name_bytes.lower()


def head(index: str) -> dict[str, Any]:
    """Return the head of an index of a checkpoint, as `p4warden-index show` prints it.

    Its keys include `server_id`, `case`, `change`, `time_s` (seconds since the epoch),
    `known_to_s` (the time, in the same unit, up to which changes are known), `files`, `revisions`
    and `clients`.

    Raises:
        IndexFileError: the index cannot be read.
    """
    [line] = _lines("show", index)
    return line


def case(index: str) -> str:
    """Return the case handling of an index's server: `sensitive`, `folded` or `either`.

    `either`: the order of the records fits both.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return str(head(index)["case"])


def clients(index: str) -> Iterator[tuple[str, Counts]]:
    """Yield the name of every client in an index, with its file, revision and have counts.

    Raises:
        IndexFileError: the index cannot be read.
    """
    for row in _lines("clients", index):
        yield row["client"], Counts(row["files"], row["revisions"], row["have"])


def client_files(index: str) -> list[int]:
    """Return the numbers of files that the views of an index's clients span, one per client.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return [row["files"] for row in _lines("clients", index)]


def depots(index: str, types: Mapping[int, str]) -> dict[str, Depot]:
    """Return the depots in an index by name, with the top directories that contain files.

    If a depot has more than `MAX_DIRECTORIES` of them, only their number is returned.

    Args:
        index: the path of the index.
        types: names of depot types, by their numbers in `db.depot`.

    Raises:
        IndexFileError: the index cannot be read.
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


def longest_paths(checkpoint: Sequence[str], journals: Sequence[str]) -> list[tuple[str, int]]:
    """Return the 20 longest depot paths in a checkpoint and journals, with their lengths in bytes.

    The longest path comes first.

    Raises:
        IndexFileError: a file cannot be read or is damaged.
    """
    words = ["longest", *(f"--journal={journal}" for journal in journals), "--", *checkpoint]
    return [(row["path"], row["bytes"]) for row in _printed(words)]


def places(index: str) -> list[tuple[str, int, int]]:
    """Return the depots and top directories (`//depot/main/`) of an index, with their counts.

    Each is a tuple of path, number of files and number of revisions.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return [(row["path"], row["files"], row["revisions"]) for row in _lines("places", index)]


def counts(index: str, paths: Iterable[str]) -> list[int]:
    """Return for each depot path, in order, the number of files that it spans, by an index.

    Raises:
        IndexFileError: the index cannot be read.
    """
    lines = "\n".join(paths).encode("utf-8", "surrogateescape")
    return [row["files"] for row in _printed(["count", index, "-"], lines)]


def _depot(kind: str, directories: list[str]) -> Depot:
    names = tuple(directories) if len(directories) <= MAX_DIRECTORIES else None
    return Depot(kind, names, len(directories))


def _lines(subcommand: str, index: str) -> Iterator[dict[str, Any]]:
    return _printed([subcommand, "--", index])


def _printed(
    words: Sequence[str], standard_input: bytes | None = None
) -> Iterator[dict[str, Any]]:
    """Run `p4warden-index` with `standard_input`, if given; yield the JSON objects it prints."""
    with contextlib.ExitStack() as exit_stack:
        source = None
        if standard_input is not None:
            source = exit_stack.enter_context(tempfile.TemporaryFile())
            source.write(standard_input)
            source.seek(0)
        child = exit_stack.enter_context(
            subprocess.Popen(
                [program(), *words], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
        yield from map(json.loads, child.stdout or ())
        problem = child.stderr.read() if child.stderr else b""
    if child.returncode:
        text = problem.decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
        raise IndexFileError(text or f"{NAME} ended with {child.returncode}")
