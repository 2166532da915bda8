"""Facts that a p4d log may lack, with the p4d setting or release that each of them requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

    from p4warden.logs.scope import Scope

_TRACK = "requires p4 configure set track=1"
_LEVEL_2 = "requires p4 configure set server=2 or more"
_LEVEL_3 = "requires p4 configure set server=3"


class NeededFacts(NamedTuple):
    """Facts that a report needs and a log may lack.

    Attributes:
        description: the facts in words.
        requirement: the p4d setting or release that is required for such facts, in words.
        kinds: kinds of facts in the table `log_kind`; one of them is sufficient.
    """

    description: str
    requirement: str
    kinds: tuple[str, ...]


NEEDS = {
    "lapses": NeededFacts("run times of commands", _LEVEL_2, ("end",)),
    "computes": NeededFacts("compute phases", _LEVEL_3, ("compute",)),
    "processor": NeededFacts("processor time", _TRACK, ("cpu",)),
    "memory": NeededFacts("memory", _TRACK, ("memory", "cpu")),
    "tables": NeededFacts("use of tables and locks", _TRACK, ("table", "lock")),
    "syncs": NeededFacts("transfers of syncs", _LEVEL_3, ("estimates", "files")),
    "triggers": NeededFacts("runs of triggers", _LEVEL_3, ("trigger",)),
    "threads": NeededFacts(
        "active threads and pressure", "requires a newer release of p4d", ("threads", "pressure")
    ),
}

NOTHING = "nothing in this log matches"
_RECORDS = "SELECT sum(records) FROM main.log_kind WHERE kind = ?"


_EXTENT = """
SELECT datetime(min(start), 'unixepoch', 'localtime'),
    datetime(max(ifnull(end, start)), 'unixepoch', 'localtime'),
    min(start) >= :to_s OR max(ifnull(end, start)) < :from_s
FROM main.command WHERE start IS NOT NULL
"""


def reason_for_no_rows(database: sqlite3.Connection, need: str | None, scope: Scope) -> str:
    """Return the reason for a report without rows: needed facts are absent, or nothing matches.

    Args:
        database: an open log database.
        need: a key of `NEEDS`, or None for a report without such a need.
        scope: the part of the log that the report covers.
    """
    if need is not None:
        facts = NEEDS[need]
        if not any(database.execute(_RECORDS, (kind,)).fetchone()[0] for kind in facts.kinds):
            return f"not in this log: {facts.description} ({facts.requirement})"
    return NOTHING + _extent(database, scope)


def _extent(database: sqlite3.Connection, scope: Scope) -> str:
    """Return in words the time range of a log's commands, if a report's scope is outside of it.

    Otherwise return an empty text.
    """
    span = {"from_s": scope.from_s, "to_s": scope.to_s}
    first, last, is_outside = database.execute(_EXTENT, span).fetchone()
    return f": it has commands from {first} to {last}" if is_outside else ""
