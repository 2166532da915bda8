# Names are read as bytes: P4Python raises an internal error on a name that is not UTF-8, which a
# server without unicode may well have. Such bytes become surrogate escapes, as in forms.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import P4

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import MAX_DIRECTORIES, MAX_STREAMS
from p4warden.core.records import Depot, Facts
from p4warden.server.questions import ask, server_id, text_of
from p4warden.tune.releases import of_version

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGITS_OF_A_DEPTH = 4
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
        depots = {text_of(row["name"]): _depot(p4, row) for row in rows}
        limit_view = _has_limit_view(p4)
    releases = of_version(text_of(info.get("serverVersion", b"")))
    return Facts(
        info.get("caseHandling") != b"insensitive",
        depots,
        server_id=text_of(server_id(info) or b"") or None,
        unicode=info.get("unicode") == b"enabled",
        release=releases.text() if releases else None,
        limit_view=limit_view,
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


def _depot(p4: P4.P4, row: Mapping[str, bytes]) -> Depot:
    name, depot_type = row["name"], text_of(row["type"])
    if depot_type not in _LISTED_TYPES:
        return Depot(depot_type, (), 0)
    handler = _Directories()
    with p4.using_handler(handler):
        ask(p4, "dirs", b"//%b/*" % name)
    directory_names = tuple(sorted(handler.names)) if handler.count <= MAX_DIRECTORIES else None
    depot = Depot(depot_type, directory_names, handler.count)
    if depot_type != "stream":
        return depot
    depth = _depth(text_of(row.get("depth", b"")))
    return depot._replace(stream_depth=depth, streams=_streams(p4, name))


def _streams(p4: P4.P4, depot: bytes) -> tuple[str, ...]:
    """Leave out task streams, which are for one person."""
    rows = ask(p4, "streams", b"//%b/..." % depot)
    rows = [row for row in rows if row.get("Type") != b"task"]
    rows.sort(key=lambda row: row.get("Type") != b"mainline")
    return tuple(text_of(row["Stream"]) for row in rows[:MAX_STREAMS])


def _depth(text: str) -> int | None:
    """A StreamDepth is `2` or `//depot/1/2` (p4 help depot)."""
    last = text.rpartition("/")[2]
    return int(last) if last.isdecimal() and len(last) < _DIGITS_OF_A_DEPTH else None


def _has_limit_view(p4: P4.P4) -> bool:
    """False also where the server does not tell: `p4 spec` differs by release."""
    rows = ask(p4, "spec", "-o", "client")
    fields = rows[0].get("Fields", []) if rows else []
    texts = (text_of(field) if isinstance(field, bytes) else field for field in fields)
    return any(text.split()[1:2] == ["LimitView"] for text in texts)


def _require_super(p4: P4.P4) -> None:
    """Without a protections table everyone has super access."""
    level = ask(p4, "protects", "-m")
    if level and level[0]["permMax"] != b"super":
        raise P4WardenError(
            f"{p4.user}@{p4.port}: this needs an account with super access, because other "
            "accounts may not see every depot; specify one with --user"
        )
