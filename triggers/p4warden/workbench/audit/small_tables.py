"""What an audit and `tune` ask of the small tables of a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.workbench.audit.groups import Group
from p4warden.workbench.audit.protections import Protection
from p4warden.workbench.census.spec_form import (
    DEPOT_TYPES,
    DOMAIN_TYPES,
    MAP_FLAGS,
    MEMBER,
    SUBGROUP,
    UNLOADED_TYPES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.checkpoint.small_tables import SmallTables
    from p4warden.workbench.checkpoint.table_list import Row

TABLES = ("domain", "group", "protect", "view", "template", "depot", "working", "changex")
UNLOADED_CLIENT = "unloaded client"
_TYPES = {number: name for name, number in DOMAIN_TYPES.items()}
_TYPES[UNLOADED_TYPES["client"]] = UNLOADED_CLIENT
_EXCLUSION = 1
_UNLOAD_DEPOT = next(number for number, name in DEPOT_TYPES.items() if name == "unload")
_SHELVED = 2
_LIMITS = ("MaxResults", "MaxScanRows", "MaxLockTime", "MaxOpenFiles", "MaxMemory")
# Kinds of lines in a stream's Paths that include files: its own, then imports (StreamPathType,
# "P4 Server Schema").
_OWN_PATHS, _IMPORTS = (0, 1), (2, 7, 15)
_GROUPS = (
    'select in_group, member, role, results, scan_rows, lock_ms, open_files, memory from "group"'
)
_VIEWS = (
    "select domain.name, flag, depot_path from domain join view using (key) "
    "where type in (:branch, :label)"
)
_STREAMS = (
    "select domain.name, path_type, right, depot_path from domain join template as paths "
    "using (key) where type = :stream and "
    "change = (select max(change) from template where key = paths.key)"
)


class Domain(NamedTuple):
    name: str
    type: str  # `client`, `UNLOADED_CLIENT`, `branch` and so on; `spec` for all others
    owner: str
    updated_s: int  # seconds since the epoch
    accessed_s: int  # seconds since the epoch
    options: int  # 0x10000: a client whose have list is not in db.have
    stream: str | None
    server_id: str | None  # that a client is bound to, or empty


def domains(tables: SmallTables) -> list[Domain]:
    """Return all specs that `db.domain` has, by type and name."""
    rows = tables.rows(
        "select name, type, owner, updated_s, accessed_s, options, stream, server_id from domain"
    )
    found = (Domain(name, _TYPES.get(number, "spec"), *others) for name, number, *others in rows)
    return sorted(found, key=lambda one: (one.type, one.name))


def groups(tables: SmallTables) -> list[Group]:
    """Return the groups by name; `db.group` repeats the limits in the record of each member."""
    by_name: dict[str, list[Row]] = {}
    for name, *row in tables.rows(_GROUPS):
        by_name.setdefault(name, []).append(tuple(row))
    return [_group(name, by_name[name]) for name in sorted(by_name)]


def has_unload_depot(tables: SmallTables) -> bool:
    """Tell whether clients can be unloaded."""
    return any(tables.rows("select 1 from depot where type = ?", (_UNLOAD_DEPOT,)))


def clients_with_open_files(tables: SmallTables) -> frozenset[str]:
    """Return the clients in `db.working`."""
    return frozenset(client for (client,) in tables.rows("select distinct client from working"))


def shelves(tables: SmallTables) -> dict[str, list[int]]:
    """Return by client its changelists with shelved files."""
    found: dict[str, list[int]] = {}
    query = "select client, change from changex where status = ?"
    for client, change in tables.rows(query, (_SHELVED,)):
        found.setdefault(client, []).append(change)
    return found


def protections(tables: SmallTables) -> list[Protection]:
    """Empty if a line is unreadable, because each depends on the lines around it."""
    if tables.unread_counts()["protect"]:
        return []
    rows = tables.rows("select is_group, name, host, rights, flag, path from protect order by seq")
    return [
        Protection(is_group == 1, name, host, rights, flag == _EXCLUSION, path)
        for is_group, name, host, rights, flag, path in rows
    ]


def view_paths(tables: SmallTables) -> Iterator[tuple[str, str]]:
    """Yield (spec name, included depot path) of branches, labels and streams."""
    for name, flag, depot_path in tables.rows(_VIEWS, DOMAIN_TYPES):
        if MAP_FLAGS.get(flag, "-") != "-":
            yield name, depot_path
    for name, kind, path, depot_path in tables.rows(_STREAMS, DOMAIN_TYPES):
        if kind in _OWN_PATHS:
            yield name, f"{name}/{path}"
        elif kind in _IMPORTS and depot_path:
            yield name, depot_path.partition("@")[0]


def _group(name: str, rows: Sequence[Row]) -> Group:
    _, _, *limits = zip(*rows, strict=True)
    return Group(
        name,
        frozenset(member for member, role, *_ in rows if role & MEMBER),
        frozenset(member for member, role, *_ in rows if role & SUBGROUP),
        dict(zip(_LIMITS, map(_limit, limits), strict=True)),
    )


def _limit(of_rows: Sequence[int | None]) -> int | None:
    """None if the release had none, or the rows disagree."""
    limit, *others = {*of_rows}
    return None if others else limit
