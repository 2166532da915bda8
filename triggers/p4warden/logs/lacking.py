"""What a log does not tell: p4d writes more or less of it, as `server` and `track` are set."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

_TRACK = "p4d writes it with p4 configure set track=1"
_LEVEL_2 = "p4d writes it with p4 configure set server=2 or more"
_LEVEL_3 = "p4d writes it with p4 configure set server=3"


class Need(NamedTuple):
    """Facts that a log may lack.

    Attributes:
        what: in words.
        when: the setting with which p4d writes them ("p4 help configurables": server, track).
        kinds: of the table `log_kind`; one of them is enough.
    """

    what: str
    when: str
    kinds: tuple[str, ...]


NEEDS = {
    "lapses": Need("how long commands took", _LEVEL_2, ("end",)),
    "computes": Need("compute phases", _LEVEL_3, ("compute",)),
    "processor": Need("processor time", _TRACK, ("cpu",)),
    "memory": Need("memory", _TRACK, ("memory", "cpu")),
    "tables": Need("what commands did with tables and locks", _TRACK, ("table", "lock")),
    "syncs": Need("what syncs moved", _LEVEL_3, ("estimates", "files")),
    "triggers": Need("runs of triggers", _LEVEL_3, ("trigger",)),
    "threads": Need(
        "active threads and pressure", "newer releases of p4d write it", ("threads", "pressure")
    ),
}

NOTHING = "nothing in this log fits"
_TOLD = "SELECT sum(records) FROM main.log_kind WHERE kind = ?"


def lacking(database: sqlite3.Connection, need: str | None) -> str:
    """Return why there is no answer: the log does not tell, or nothing is so.

    Args:
        database: the tables of `schema.sql`.
        need: a key of `NEEDS`, or None for a question that any log can answer.
    """
    if need is None:
        return NOTHING
    facts = NEEDS[need]
    if any(database.execute(_TOLD, (kind,)).fetchone()[0] for kind in facts.kinds):
        return NOTHING
    return f"not in this log: {facts.what} ({facts.when})"
