"""Facts of a server: its depots, their top directories, and whether it tells cases apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.facts import MAX_DIRECTORIES
from p4warden.records import Depot, Facts

if TYPE_CHECKING:
    import P4

# Depots whose directories can be listed without asking another server or unpacking archives.
_LISTED_TYPES = ("local", "stream")


def gather(p4: P4.P4) -> Facts:
    """Ask the server, with one `p4 dirs` for each of its local and stream depots."""
    info = p4.run("info")[0]
    depots = {row["name"]: _depot(p4, row["name"], row["type"]) for row in p4.run("depots")}
    return Facts(info.get("caseHandling") != "insensitive", depots)


def _depot(p4: P4.P4, name: str, depot_type: str) -> Depot:
    if depot_type not in _LISTED_TYPES:
        return Depot(depot_type, (), 0)
    rows = p4.run("dirs", f"//{name}/*")
    names = sorted(row["dir"].rpartition("/")[2] for row in rows)
    kept = tuple(names) if len(names) <= MAX_DIRECTORIES else None
    return Depot(depot_type, kept, len(names))
