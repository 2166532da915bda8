"""What a log does not tell: p4d writes more or less of it, as `server` and `track` are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_TRACK = "p4d writes it with p4 configure set track=1"
_LEVEL_2 = "p4d writes it with p4 configure set server=2 or more"
_LEVEL_3 = "p4d writes it with p4 configure set server=3"
NEEDS = {
    "lapses": (
        "how long commands took",
        _LEVEL_2,
        "SELECT 1 FROM main.command WHERE lapse_s IS NOT NULL",
    ),
    "computes": (
        "compute phases",
        _LEVEL_3,
        "SELECT 1 FROM main.command WHERE compute_s IS NOT NULL",
    ),
    "processor": (
        "processor time",
        _TRACK,
        "SELECT 1 FROM main.command WHERE user_ms IS NOT NULL",
    ),
    "memory": (
        "memory",
        _TRACK,
        "SELECT 1 FROM main.command WHERE memory_mb IS NOT NULL OR rss_kb IS NOT NULL",
    ),
    "tables": ("what commands did with tables and locks", _TRACK, "SELECT 1 FROM main.table_use"),
    "syncs": (
        "what syncs moved",
        _LEVEL_3,
        "SELECT 1 FROM main.command WHERE bytes_updated IS NOT NULL OR files_sent_mb IS NOT NULL",
    ),
    "triggers": ("runs of triggers", _LEVEL_3, "SELECT 1 FROM main.trigger_run"),
    "events": (
        "active threads and pressure",
        "p4d 2023.1 and later writes it",
        "SELECT 1 FROM main.event",
    ),
}
"""For each need that a question may have: what it is, when p4d writes it, and what finds it."""

NOTHING = "nothing in this log fits"


def lacking(database: sqlite3.Connection, need: str | None) -> str:
    """Return why there is no answer: the log does not tell, or nothing is so.

    Args:
        database: the tables of `schema.sql`.
        need: a key of `NEEDS`, or None for a question that any log can answer.
    """
    if need is None:
        return NOTHING
    what, when, query = NEEDS[need]
    is_told = database.execute(f"{query} LIMIT 1").fetchone()
    return NOTHING if is_told else f"not in this log: {what} ({when})"
