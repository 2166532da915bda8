from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

    from p4warden.workbench.logs.scope import Scope

_TRACK = "requires p4 configure set track=1"
_LEVEL_2 = "requires p4 configure set server=2 or more"
_LEVEL_3 = "requires p4 configure set server=3"


class NeededFacts(NamedTuple):
    description: str
    requirement: str  # p4d setting or release, in words
    kinds: tuple[str, ...]  # in the table `log_kind`; one of them is sufficient


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
    """Tell whether needed facts (a key of `NEEDS`) are absent, or nothing matches."""
    if need is not None:
        facts = NEEDS[need]
        if not any(database.execute(_RECORDS, (kind,)).fetchone()[0] for kind in facts.kinds):
            return f"not in this log: {facts.description} ({facts.requirement})"
    return NOTHING + _extent(database, scope)


def _extent(database: sqlite3.Connection, scope: Scope) -> str:
    """In words; empty unless the scope is outside of the log's time range."""
    span = {"from_s": scope.from_s, "to_s": scope.to_s}
    first, last, is_outside = database.execute(_EXTENT, span).fetchone()
    return f": it has commands from {first} to {last}" if is_outside else ""
