"""The small tables of a checkpoint and its journals, read in one pass and in their final state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.groups import Group
from p4warden.audit.protections import Protection
from p4warden.index.records import DELETED, records

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

CLIENT, UNLOADED_CLIENT, BRANCH, LABEL, STREAM = 99, 67, 98, 108, 115
_MEMBER, _SUBGROUP = 1, 2
_LIMITS = {"MaxScanRows": 4, "MaxLockTime": 5}
_EXCLUSION = 1
# Number of leading values that form the key.
_KEYS = {
    "group": 2,
    "protect": 1,
    "view": 2,
    "template": 3,
    "depot": 1,
    "working": 1,
    "changex": 1,
}
_LEAST = {
    "domain": 10,
    "group": 3,
    "protect": 7,
    "view": 5,
    "template": 8,
    "depot": 2,
    "working": 3,
    "changex": 6,
}
_UNLOAD_DEPOT = "5"
# Of the client path, the depot path and the client of an open file.
_OPEN_IN = 2
# Of number, key, client, user, date and status of a changelist that is not submitted.
_CHANGE_OF, _STATUS = 2, 5
_SHELVED = "2"
# The leading values that are kept of a long table's records.
_KEPT = {"working": _OPEN_IN + 1, "changex": _STATUS + 1}
TABLES = ("domain", *_KEYS)
# Flags of view lines that map files.
_INCLUDES = ("0", "2", "5")
# Of (name, change, line, parent, type, kind, path, depot path).
_DEPOT_PATH = 7
# Kinds of lines in a stream's Paths that include files: its own, then imports (StreamPathType,
# "P4 Server Schema").
_OWN_PATHS, _IMPORTS = (0, 1), (2, 7, 15)


class Domain(NamedTuple):
    name: str
    kind: int  # `CLIENT` and others
    owner: str
    updated_s: int  # seconds since the epoch
    accessed_s: int  # seconds since the epoch
    options: int  # 0x10000: a client whose have list is not in db.have
    stream: str
    server_id: str  # that a client is bound to, or empty


class SmallTables:
    def __init__(self) -> None:
        self.unreadable_counts: Counter[str] = Counter()
        self._domains: dict[str, Domain] = {}
        self._tables: dict[str, dict[tuple[str, ...], Sequence[str]]] = {
            name: {} for name in _KEYS
        }

    def take(self, operation: str, table: str, values: Sequence[int | str | None]) -> None:
        texts = ["" if value is None else str(value) for value in values]
        if len(texts) < (_KEYS.get(table, 1) if operation == DELETED else _LEAST[table]):
            self.unreadable_counts[table] += 1
        elif table == "domain":
            self._take_domain(operation, texts)
        elif table != "view" or not self._is_client(texts[0]):
            rows, key = self._tables[table], tuple(texts[: _KEYS[table]])
            rows.pop(key, None)
            if operation != DELETED:
                rows[key] = texts[: _KEPT.get(table)]

    def domains(self) -> list[Domain]:
        return sorted(self._domains.values(), key=lambda one: (one.kind, one.name))

    def groups(self) -> list[Group]:
        members: dict[str, list[Sequence[str]]] = {}
        for row in self._tables["group"].values():
            members.setdefault(row[1], []).append(row)
        return [_group(name, members[name]) for name in sorted(members)]

    def has_unload_depot(self) -> bool:
        return any(row[1] == _UNLOAD_DEPOT for row in self._tables["depot"].values())

    def clients_with_open_files(self) -> frozenset[str]:
        return frozenset(row[_OPEN_IN] for row in self._tables["working"].values())

    def shelves(self) -> dict[str, list[int]]:
        """Return by client its changelists with shelved files."""
        shelves: dict[str, list[int]] = {}
        for row in self._tables["changex"].values():
            if row[_STATUS] == _SHELVED:
                shelves.setdefault(row[_CHANGE_OF], []).append(_number(row[0]))
        return shelves

    def protections(self) -> list[Protection]:
        """Empty if a line is unreadable, because each depends on the lines around it."""
        if self.unreadable_counts["protect"]:
            return []
        rows = self._tables["protect"]
        return [_protection(rows[key]) for key in sorted(rows, key=lambda key: _number(key[0]))]

    def view_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        """Yield (spec name, included depot path) of the named branches, labels and streams."""
        for row in self._tables["view"].values():
            if row[0] in names and row[2] in _INCLUDES:
                yield row[0], row[4]
        yield from self._stream_paths(names)

    def _stream_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        rows = self._tables["template"]
        newest: dict[str, int] = {}
        for name, change, _ in rows:
            newest[name] = max(_number(change), newest.get(name, 0))
        for (name, change, _), row in rows.items():
            if name in names and _number(change) == newest[name] and len(row) > _DEPOT_PATH:
                kind, path, depot_path = _number(row[5]), row[6], row[_DEPOT_PATH]
                if kind in _OWN_PATHS:
                    yield name, f"{name}/{path}"
                elif kind in _IMPORTS and depot_path:
                    yield name, depot_path.partition("@")[0]

    def _take_domain(self, operation: str, values: Sequence[str]) -> None:
        if operation == DELETED:
            self._domains.pop(values[0], None)
        else:
            self._domains[values[0]] = _domain(values)

    def _is_client(self, name: str) -> bool:
        domain = self._domains.get(name)
        return domain is not None and domain.kind == CLIENT


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
            tables.take(record.operation, record.table, record.values)
    return tables


# Of name, type, host, three roots, owner, two times, options, description, then stream (since
# 2011.1) and server (since 2012.1).
_OWNER, _UPDATED, _ACCESSED, _OPTIONS, _STREAM, _SERVER = 6, 7, 8, 9, 11, 12


def _domain(values: Sequence[str]) -> Domain:
    later = [*values[_STREAM : _SERVER + 1], "", ""]
    return Domain(
        values[0],
        _number(values[1]),
        values[_OWNER],
        _number(values[_UPDATED]),
        _number(values[_ACCESSED]),
        _number(values[_OPTIONS]),
        later[0],
        later[1],
    )


def _group(name: str, rows: Sequence[Sequence[str]]) -> Group:
    return Group(
        name,
        frozenset(row[0] for row in rows if _number(row[2]) & _MEMBER),
        frozenset(row[0] for row in rows if _number(row[2]) & _SUBGROUP),
        {field: _limit(rows, place) for field, place in _LIMITS.items()},
    )


def _limit(rows: Sequence[Sequence[str]], place: int) -> int | None:
    """None if the release had none, or the rows disagree."""
    text, *others = {row[place] if place < len(row) else "" for row in rows}
    return _number(text) if text and not others else None


def _protection(values: Sequence[str]) -> Protection:
    _, is_group, name, host, rights, flag, path = values[:7]
    excludes = _number(flag) == _EXCLUSION
    return Protection(is_group == "1", name, host, _number(rights), excludes, path)


def _number(text: str) -> int:
    """0 if it is no integer or has 20 characters or more."""
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 20 else 0  # noqa: PLR2004
