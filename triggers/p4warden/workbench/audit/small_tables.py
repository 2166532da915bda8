"""The small tables of a checkpoint and its journals, read in one pass and in their final state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.index.records import DELETED, records
from p4warden.workbench.audit.groups import Group
from p4warden.workbench.audit.protections import Protection
from p4warden.workbench.census.db_tables import table
from p4warden.workbench.census.spec_form import DOMAIN_TYPES, MAP_FLAGS, UNLOADED_TYPES

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from p4warden.index.records import Record

UNLOADED_CLIENT = "unloaded client"
_TYPES = {number: name for name, number in DOMAIN_TYPES.items()}
_TYPES[UNLOADED_TYPES["client"]] = UNLOADED_CLIENT
_MEMBER, _SUBGROUP = 1, 2
_EXCLUSION = 1
_UNLOAD_DEPOT = 5
_SHELVED = 2
# Kinds of lines in a stream's Paths that include files: its own, then imports (StreamPathType,
# "P4 Server Schema").
_OWN_PATHS, _IMPORTS = (0, 1), (2, 7, 15)
# The stream since 2011.1, the server since 2012.1.
TABLES = {
    "domain": table(
        "domain",
        1,
        "name type -host -root -root2 -root3 owner update access options",
        "-description stream server_id",
    ),
    "group": table("group", 2, "member group role", "-max_results scan_rows lock_ms"),
    "protect": table("protect", 1, "seq is_group name host rights flag path"),
    "view": table("view", 2, "name seq flag -right depot_path"),
    "template": table("template", 3, "name change seq -parent -type path_type path depot_path"),
    "depot": table("depot", 1, "name type"),
    "working": table("working", 1, "client_path -depot_path client"),
    "changex": table("changex", 1, "change -key client -user -date status"),
}


class Domain(NamedTuple):
    name: str
    type: str  # `client`, `UNLOADED_CLIENT`, `branch` and so on; `spec` for all others
    owner: str
    updated_s: int  # seconds since the epoch
    accessed_s: int  # seconds since the epoch
    options: int  # 0x10000: a client whose have list is not in db.have
    stream: str | None
    server_id: str | None  # that a client is bound to, or empty


class SmallTables:
    def __init__(self) -> None:
        self.unreadable_counts: Counter[str] = Counter()
        self._tables: dict[str, dict[tuple[Any, ...], tuple[Any, ...]]] = {
            name: {} for name in TABLES
        }

    def take(self, record: Record) -> None:
        table, rows, values = TABLES[record.table], self._tables[record.table], record.values
        is_deleted = record.operation == DELETED
        row = table.row(values, table.keys if is_deleted else len(table.columns))
        if row is None:
            self.unreadable_counts[record.table] += 1
        elif record.table != "view" or not self._is_client(row[0]):
            rows.pop(row[: table.keys], None)
            if not is_deleted:
                rows[row[: table.keys]] = row

    def domains(self) -> list[Domain]:
        domains = (
            Domain(name, _TYPES.get(number, "spec"), *others)
            for name, number, *others in self._tables["domain"].values()
        )
        return sorted(domains, key=lambda one: (one.type, one.name))

    def groups(self) -> list[Group]:
        by_name: dict[str, list[tuple[Any, ...]]] = {}
        for row in self._tables["group"].values():
            by_name.setdefault(row[1], []).append(row)
        return [_group(name, by_name[name]) for name in sorted(by_name)]

    def has_unload_depot(self) -> bool:
        return any(number == _UNLOAD_DEPOT for _, number in self._tables["depot"].values())

    def clients_with_open_files(self) -> frozenset[str]:
        return frozenset(client for _, client in self._tables["working"].values())

    def shelves(self) -> dict[str, list[int]]:
        """Return by client its changelists with shelved files."""
        shelves: dict[str, list[int]] = {}
        for change, client, status in self._tables["changex"].values():
            if status == _SHELVED:
                shelves.setdefault(client, []).append(change)
        return shelves

    def protections(self) -> list[Protection]:
        """Empty if a line is unreadable, because each depends on the lines around it."""
        if self.unreadable_counts["protect"]:
            return []
        return [
            Protection(is_group == 1, name, host, rights, flag == _EXCLUSION, path)
            for _, is_group, name, host, rights, flag, path in sorted(
                self._tables["protect"].values()
            )
        ]

    def view_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        """Yield (spec name, included depot path) of the named branches, labels and streams."""
        for name, _, flag, depot_path in self._tables["view"].values():
            if name in names and MAP_FLAGS.get(flag, "-") != "-":
                yield name, depot_path
        yield from self._stream_paths(names)

    def _stream_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        rows = self._tables["template"].values()
        newest: dict[str, int] = {}
        for name, change, *_ in rows:
            newest[name] = max(change, newest.get(name, 0))
        for name, change, _, kind, path, depot_path in rows:
            if name in names and change == newest[name]:
                if kind in _OWN_PATHS:
                    yield name, f"{name}/{path}"
                elif kind in _IMPORTS and depot_path:
                    yield name, depot_path.partition("@")[0]

    def _is_client(self, name: str) -> bool:
        domain = self._tables["domain"].get((name,))
        return domain is not None and domain[1] == DOMAIN_TYPES["client"]


def read(
    checkpoint: Sequence[str], journals: Sequence[str], names: Iterable[str] = TABLES
) -> SmallTables:
    """Read the tables; the last journal's last record may be cut off, as it is still written.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint.
    """
    tables = SmallTables()
    for record in records(checkpoint, journals, names, lambda _: None):
        if record.table:
            tables.take(record)
    return tables


def _group(name: str, rows: Sequence[tuple[Any, ...]]) -> Group:
    *_, scan_rows, locks_ms = zip(*rows, strict=True)
    return Group(
        name,
        frozenset(member for member, _, role, *_ in rows if role & _MEMBER),
        frozenset(member for member, _, role, *_ in rows if role & _SUBGROUP),
        {"MaxScanRows": _limit(scan_rows), "MaxLockTime": _limit(locks_ms)},
    )


def _limit(of_rows: Sequence[int | None]) -> int | None:
    """None if the release had none, or the rows disagree."""
    limit, *others = {*of_rows}
    return None if others else limit
