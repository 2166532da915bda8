"""Numbers of the log database of `p4warden log load` for the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.logs.database_reports import open_database
from p4warden.workbench.tune.finding import LogUse
from p4warden.workbench.tune.known_settings import known

if TYPE_CHECKING:
    import sqlite3

# Commands of users; those of servers among themselves have no group limits.
_LOCKS = """
SELECT command.id, command.user,
    max(max(ifnull(max_read_held_ms, ifnull(read_held_ms, 0)),
            ifnull(max_write_held_ms, ifnull(write_held_ms, 0)))) AS amount
FROM distinct_command AS command JOIN table_use ON table_use.command = command.id
WHERE command.command IN (SELECT id FROM name WHERE text LIKE 'user-%') GROUP BY command.id
"""
_SYNCS = """
SELECT count(*), count(DISTINCT user) FROM distinct_command
WHERE command IN (SELECT id FROM name WHERE text = 'user-sync')
"""
_P4V = """
SELECT count(*) FROM distinct_command
WHERE prog IN (SELECT id FROM name WHERE text LIKE '%P4V%')
"""


def read(path: str) -> LogUse:
    """Read a log database.

    Raises:
        LogError: the file is missing or not a log database.
    """
    limits = {one.name: one.value or 0 for one in known().limits}
    with open_database(path) as database:
        syncs, sync_users = database.execute(_SYNCS).fetchone()
        return LogUse(
            _number(database, "SELECT max(commands) FROM at_once"),
            _long_locks(database, limits["MaxLockTime"]),
            syncs,
            sync_users,
            _number(database, _P4V),
        )


def _long_locks(database: sqlite3.Connection, limit_ms: int) -> tuple[int, int] | None:
    """Count commands and their users; None if the log has no facts about locks."""
    if not _number(database, "SELECT sum(records) FROM log_kind WHERE kind = 'lock'"):
        return None
    counts = f"SELECT count(*), count(DISTINCT user) FROM ({_LOCKS}) WHERE amount > ?"  # noqa: S608 - a constant
    commands, users = database.execute(counts, (limit_ms,)).fetchone()
    return commands, users


def _number(database: sqlite3.Connection, query: str) -> int:
    return int(database.execute(query).fetchone()[0] or 0)
