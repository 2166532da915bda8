# Names are read as bytes: P4Python raises an internal error on a name that is not UTF-8, which a
# server without unicode may well have. Such bytes become surrogate escapes, as in forms.

from __future__ import annotations

from typing import Any

import P4

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import MAX_DIRECTORIES
from p4warden.core.records import Depot, Facts
from p4warden.server.questions import ask, server_id, text_of

# Listing others would ask another server or unpack archives.
_LISTED_TYPES = ("local", "stream")


def gather(p4: P4.P4) -> Facts:
    """Ask the server for facts; `p4 dirs` runs once for each local and stream depot.

    Depots that `p4 depots` hides (those of extensions, the default graph depot) are left out:
    nobody maps them.

    Raises: P4WardenError: the account has no super access. `p4 depots` omits depots that the
    protections hide from the user (P4 CLI Reference, p4 depots), so the facts would be incomplete.
    """
    with p4.saved_context(encoding="raw"):
        _require_super(p4)
        info = ask(p4, "info")[0]
        rows = ask(p4, "depots")
        depots = {
            text_of(row["name"]): _depot(p4, row["name"], text_of(row["type"])) for row in rows
        }
    return Facts(
        info.get("caseHandling") != b"insensitive",
        depots,
        server_id=text_of(server_id(info) or b"") or None,
        unicode=info.get("unicode") == b"enabled",
    )


class _Directories(P4.OutputHandler):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.count = 0

    def outputStat(self, h: dict[str, Any]) -> int:  # noqa: N802 - P4Python's name
        self.count += 1
        if self.count <= MAX_DIRECTORIES:
            self.names.append(text_of(h["dir"]).rpartition("/")[2])
        return self.HANDLED


def _depot(p4: P4.P4, name: bytes, depot_type: str) -> Depot:
    if depot_type not in _LISTED_TYPES:
        return Depot(depot_type, (), 0)
    handler = _Directories()
    with p4.using_handler(handler):
        ask(p4, "dirs", b"//%b/*" % name)
    directory_names = tuple(sorted(handler.names)) if handler.count <= MAX_DIRECTORIES else None
    return Depot(depot_type, directory_names, handler.count)


def _require_super(p4: P4.P4) -> None:
    """Without a protections table everyone has super access."""
    level = ask(p4, "protects", "-m")
    if level and level[0]["permMax"] != b"super":
        raise P4WardenError(
            f"{p4.user}@{p4.port}: this needs an account with super access, because other "
            "accounts may not see every depot; specify one with --user"
        )
