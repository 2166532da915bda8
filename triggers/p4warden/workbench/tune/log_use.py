"""Numbers of the log database of `p4warden log load` for the findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.core.releases import Release, parsed
from p4warden.workbench.logs.database_reports import open_database
from p4warden.workbench.tune.site import LargestMemory, LogUse

if TYPE_CHECKING:
    import sqlite3

MOST_LOCK_MS = 30_000
"""The highest MaxLockTime in the recommended range (p4 help maxresults)."""

# Commands of users; those of servers among themselves have no group limits.
_OF_USERS = "command IN (SELECT id FROM name WHERE text LIKE 'user-%')"
_LOCKS = f"""
SELECT command.id, command.user,
    max(max(ifnull(max_read_held_ms, ifnull(read_held_ms, 0)),
            ifnull(max_write_held_ms, ifnull(write_held_ms, 0)))) AS amount
FROM distinct_command AS command JOIN table_use ON table_use.command = command.id
WHERE command.{_OF_USERS} GROUP BY command.id
"""  # noqa: S608 - a constant
_SYNCS = """
SELECT count(*), count(DISTINCT user) FROM distinct_command
WHERE command IN (SELECT id FROM name WHERE text = 'user-sync')
"""
_P4V = """
SELECT count(*) FROM distinct_command
WHERE prog IN (SELECT id FROM name WHERE text LIKE '%P4V%')
"""
_PAUSES = "SELECT count(*), ifnull(sum(paused_s), 0) FROM distinct_command WHERE paused_s > 0"
_MEMORY = f"""
SELECT memory_mb, what.text, name.text FROM distinct_command AS command
JOIN name AS what ON what.id = command.command JOIN name ON name.id = command.user
WHERE memory_mb > 0 AND command.{_OF_USERS} ORDER BY memory_mb DESC LIMIT 1
"""  # noqa: S608 - a constant
_PROGRAMS = f"""
SELECT DISTINCT ifnull(prog.text, '') || '/' || ifnull(version.text, '')
FROM distinct_command AS command LEFT JOIN name AS prog ON prog.id = command.prog
LEFT JOIN name AS version ON version.id = command.version WHERE command.{_OF_USERS}
"""  # noqa: S608 - a constant
_RELEASE = re.compile(r"/(?:API)?((?:19|20)[0-9]{2}\.[1-9])(?![0-9])")


def read(path: str) -> LogUse:
    """Read a log database.

    Raises:
        LogError: the file is missing or not a log database.
    """
    with open_database(path) as database:
        syncs, sync_users = database.execute(_SYNCS).fetchone()
        memory = database.execute(_MEMORY).fetchone()
        return LogUse(
            _number(database, "SELECT max(commands) FROM at_once"),
            _long_locks(database),
            syncs,
            sync_users,
            _number(database, _P4V),
            database.execute(_PAUSES).fetchone(),
            LargestMemory(*memory) if memory else None,
            _oldest_client(database),
        )


def _long_locks(database: sqlite3.Connection) -> tuple[int, int] | None:
    """Count commands and their users; None if the log has no facts about locks."""
    if not _number(database, "SELECT sum(records) FROM log_kind WHERE kind = 'lock'"):
        return None
    counts = f"SELECT count(*), count(DISTINCT user) FROM ({_LOCKS}) WHERE amount > ?"  # noqa: S608 - a constant
    commands, users = database.execute(counts, (MOST_LOCK_MS,)).fetchone()
    return commands, users


def _oldest_client(database: sqlite3.Connection) -> Release | None:
    """Many programs name their protocol alone."""
    texts = (str(text) for (text,) in database.execute(_PROGRAMS))
    return min((parsed(one) for text in texts for one in _RELEASE.findall(text)), default=None)


def _number(database: sqlite3.Connection, query: str) -> int:
    return int(database.execute(query).fetchone()[0] or 0)
