# Names are read as bytes: P4Python raises an internal error on a name that is not UTF-8, which a
# server without unicode may well have. Such bytes become surrogate escapes, as in forms.

from __future__ import annotations

from typing import TYPE_CHECKING

from P4 import P4Exception

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import MAX_DIRECTORIES, MAX_STREAMS
from p4warden.core.records import Depot, Facts
from p4warden.core.releases import of_version
from p4warden.core.server_names import ServerNames, all_members
from p4warden.server.questions import LISTED_TYPES, ask, server_id, text_of, visit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import P4

    from p4warden.server.reply import Row

_DIGITS_OF_A_DEPTH = 4


def gather(p4: P4.P4) -> Facts:
    """Ask the server for facts; `p4 dirs` runs once for each local and stream depot.

    Depots that `p4 depots` hides (those of extensions, the default graph depot) are left out:
    nobody maps them.

    Raises: P4WardenError: the account has no super access. `p4 depots` omits depots that the
    protections hide from the user (P4 CLI Reference, p4 depots), so the facts would be incomplete.
    """
    with p4.saved_context(encoding="raw"):
        require_super(p4)
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


def _depot(p4: P4.P4, row: Mapping[str, bytes]) -> Depot:
    name, depot_type = row["name"], text_of(row["type"])
    if depot_type not in LISTED_TYPES:
        return Depot(depot_type, (), 0)
    names: list[str] = []

    def keep(directory: Row) -> None:
        if len(names) < MAX_DIRECTORIES:
            names.append(text_of(directory["dir"]).rpartition("/")[2])

    count = visit_rows(p4, keep, "dirs", b"//%b/*" % name)
    depot = Depot(depot_type, tuple(sorted(names)) if count <= MAX_DIRECTORIES else None, count)
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


def require_super(p4: P4.P4) -> None:
    """Raise P4WardenError unless the account of a connection has super access."""
    with p4.saved_context(encoding="raw"):
        level = ask(p4, "protects", "-m")
    # Without protections everyone has it; what only such an account may read shows that.
    if not (level[0]["permMax"] == b"super" if level else _may_read_protections(p4)):
        raise P4WardenError(
            f"{p4.user}@{p4.port}: this needs an account with super access, which sees every "
            "depot; nothing was changed; specify one with --user"
        )


def _may_read_protections(p4: P4.P4) -> bool:
    try:
        return bool(ask(p4, "protect", "-o"))
    except P4Exception:
        return False


def gather_names(p4: P4.P4) -> ServerNames:
    """Return all users, also service users and operators, and each group's users and owners."""
    users: set[str] = set()
    members: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    subgroups: dict[str, set[str]] = {}

    def keep_member(row: Row) -> None:
        group, name = text_of(row["group"]), text_of(row.get("user", b""))
        members.setdefault(group, set())
        if row.get("isUser") == b"1":
            members[group].add(name)
        if row.get("isOwner") == b"1":
            owners.setdefault(group, set()).add(name)
        if row.get("isSubGroup") == b"1":
            subgroups.setdefault(group, set()).add(name)

    with p4.saved_context(encoding="raw"):
        visit_rows(p4, lambda row: users.add(text_of(row["User"])), "users", "-a")
        visit_rows(p4, keep_member, "groups")
    groups, owned = (
        {name: tuple(sorted(all_members(name, own, subgroups))) for name in members}
        for own in (members, owners)
    )
    return ServerNames(tuple(sorted(users)), groups, {g: who for g, who in owned.items() if who})
