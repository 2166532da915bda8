"""Functions that read p4d's logs, and load them into log databases, for tests."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

from p4warden.workbench.logs.database_reports import answer, last_s, open_database
from p4warden.workbench.logs.load_database import load
from p4warden.workbench.logs.reader import records
from p4warden.workbench.logs.scope import Division, Scope
from p4warden.workbench.logs.scope_restriction import narrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from p4warden.workbench.logs.database_reports import ReportResult


WHOLE_LOG = Scope()


def made_of(folder: Path, *logs: Path, servers: Sequence[str] = (), name: str = "log") -> str:
    """Load logs without a fault into a log database in a folder; return the database's path."""
    path = str(folder / f"{name}.db")
    assert load([str(log) for log in logs], path, lambda _read, _of: None, servers) == []
    return path


@contextlib.contextmanager
def loaded(
    folder: Path,
    *logs: Path,
    servers: Sequence[str] = (),
    zones: Sequence[str] = (),
    faults: int = 0,
) -> Iterator[sqlite3.Connection]:
    """Load logs into `log.db` in a folder and open it; check that `faults` logs have a fault."""
    path = str(folder / "log.db")
    problems = load([str(log) for log in logs], path, lambda _read, _of: None, servers, zones)
    assert len(problems) == faults
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database.row_factory = sqlite3.Row
        yield database


def ask(path: str, name: str, limit: int, scope: Scope = WHOLE_LOG) -> ReportResult:
    """Run one report, a key of `titles()`, with at most `limit` rows."""
    with open_database(path) as database:
        division = Division(limit, last_s(database))
        narrow(database, scope, division.classes)
        return answer(database, name, scope, division)


def kinds(database: sqlite3.Connection, server: str) -> dict[str, int]:
    """Return how many records of each kind a server's logs contain, such as starts of commands.

    A kind without a record is left out.
    """
    query = (
        "SELECT kind, records FROM log_kind JOIN server ON server.id = log_kind.server"
        " WHERE name = ? AND records > 0"
    )
    return {row["kind"]: row["records"] for row in database.execute(query, (server,))}


def commands(*logs: Path) -> list[dict[str, Any]]:
    """Return the records of commands in logs, without those of other kinds."""
    return [r for r in records([str(log) for log in logs]) if r["record"] == "command"]
