"""Read an index: its head, depots with top directories, and counts of every client."""

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
    """The numbers of records that a client's view spans.

    Attributes:
        files: files in `db.revhx` and `db.revdx`, each counted once.
        revisions: revisions in `db.rev`.
        have: the client's records in `db.have`; None if the checkpoint does not contain them.
    """

    files: int
    revisions: int
    have: int | None


class ClientCounts:
    """The counts of every client of an index, by name, kept in a file to save memory."""

    def __init__(self, index: str, *, case_sensitive: bool) -> None:
        """Read the counts of all clients from an index.

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
        rows = (
            (self._key(row["client"]), row["files"], row["revisions"], row["have"])
            for row in _lines("clients", index)
        )
        self._database.executemany("insert or replace into client values (?, ?, ?, ?)", rows)

    def of(self, name: str) -> Counts | None:
        """Return the counts of a client; None if the index does not have the client."""
        query = "select files, revisions, have from client where name = ?"
        row = self._database.execute(query, (self._key(decoded(name)),)).fetchone()
        return Counts(*row) if row else None

    def close(self) -> None:
        """Close the temporary database of the clients' file counts, which deletes it."""
        self._database.close()

    def _key(self, name: str) -> bytes:
        """Return a name as the server compares it, folded (ASCII letters) if it folds case."""
        encoded = name.encode("utf-8", "surrogateescape")
        return encoded if self._case_sensitive else encoded.lower()


def head(index: str) -> dict[str, Any]:
    """Return the head of an index, as `p4warden-index show` prints it.

    Its keys are `step`, `server_id`, `case`, `change`, `time_s` (seconds since the epoch),
    `known_to_s` (the same unit, from the journals of an update), `files`, `revisions` and
    `clients`.

    Raises:
        IndexFileError: the index cannot be read.
    """
    [line] = _lines("show", index)
    return line


def case(index: str) -> str:
    """Return how the index's server compares names: `sensitive`, `folded` or `either`.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return str(head(index)["case"])


def clients(index: str) -> Iterator[tuple[str, Counts]]:
    """Yield every client of an index with its numbers of files and revisions.

    Raises:
        IndexFileError: the index cannot be read.
    """
    for row in _lines("clients", index):
        yield row["client"], Counts(row["files"], row["revisions"], row["have"])


def client_files(index: str) -> list[int]:
    """Return the number of files that each client's view spans, in no particular order.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return [row["files"] for row in _lines("clients", index)]


def depots(index: str, types: Mapping[int, str]) -> dict[str, Depot]:
    """Return the depots, with the top directories that contain files.

    Args:
        index: the path of the index.
        types: names of depot types, by their numbers in `db.depot`.

    Raises:
        IndexFileError: the index cannot be read.
    """
    depot_types: dict[str, str] = {}
    directories: dict[str, list[str]] = {}
    for line in _lines("places", index):
        name, _, below = line["path"][2:].rstrip("/").partition("/")
        if below:
            directories.setdefault(name, []).append(below)
        elif "type" in line:
            depot_types[name] = types.get(line["type"], "local")
    return {name: _depot(kind, directories.get(name, [])) for name, kind in depot_types.items()}


def longest_paths(files: Sequence[str]) -> list[tuple[str, int]]:
    """Return the longest file paths, the longest first, with their lengths in bytes.

    Raises:
        IndexFileError: a file cannot be read or is damaged.
    """
    return [(row["path"], row["bytes"]) for row in _printed(["longest", "--", *files])]


def places(index: str) -> list[tuple[str, int, int]]:
    """Return depots and their top directories (`//depot/main/`), with files and revisions.

    Raises:
        IndexFileError: the index cannot be read.
    """
    return [(row["path"], row["files"], row["revisions"]) for row in _lines("places", index)]


def counts(index: str, paths: Iterable[str]) -> list[int]:
    """Return an estimated number of files for each depot path.

    Raises:
        IndexFileError: the index cannot be read.
    """
    lines = "\n".join(paths).encode("utf-8", "surrogateescape")
    return [row["files"] for row in _printed(["count", index, "-"], lines)]


def _depot(kind: str, directories: list[str]) -> Depot:
    kept = tuple(directories) if len(directories) <= MAX_DIRECTORIES else None
    return Depot(kind, kept, len(directories))


def _lines(subcommand: str, index: str) -> Iterator[dict[str, Any]]:
    return _printed([subcommand, "--", index])


def _printed(
    words: Sequence[str], standard_input: bytes | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines that the program prints; `standard_input` is its standard input."""
    with contextlib.ExitStack() as ending:
        source = None
        if standard_input is not None:
            source = ending.enter_context(tempfile.TemporaryFile())
            source.write(standard_input)
            source.seek(0)
        child = ending.enter_context(
            subprocess.Popen(
                [program(), *words], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
        yield from map(json.loads, child.stdout or ())
        problem = child.stderr.read() if child.stderr else b""
    if child.returncode:
        text = problem.decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
        raise IndexFileError(text or f"{NAME} ended with {child.returncode}")
