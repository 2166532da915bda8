"""Read small database tables of a checkpoint and its journals in one pass, for an audit.

They are db.domain, db.group, db.protect, db.template, and db.view except for the views of clients.
A journal changes the records read before, so that each table ends in its final state.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.protections import Protection
from p4warden.index.records import records

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

CLIENT, UNLOADED_CLIENT, BRANCH, LABEL, STREAM = 99, 67, 98, 108, 115
_MEMBER, _SUBGROUP = 1, 2
_EXCLUSION = 1
_GONE = "dv"
# Number of leading values of a journal record that form its key, by database table.
_KEYS = {"group": 2, "protect": 1, "view": 2, "template": 3}
# Least number of values in a journal record that can be read; for deletions the key is enough.
_LEAST = {"domain": 10, "group": 3, "protect": 7, "view": 5, "template": 8}
TABLES = ("domain", *_KEYS)
"""Names of the small database tables that an audit reads in one pass, without `db.`."""
# Flags in db.view of view lines that include no files: exclusions, and lines added by the server.
_NO_INCLUDES = ("1", "3")
# Index of the depot path in a db.template record (name, change, line, parent, type, kind, path,
# depot path), the last field needed.
_DEPOT_PATH = 7
# Kinds of lines in a stream's Paths field that include files: first those of the stream's own
# files, then imports (StreamPathType, "P4 Server Schema").
_OWN_PATHS, _IMPORTS = (0, 1), (2, 7, 15)


class Domain(NamedTuple):
    """A spec such as a client, branch, label, stream or depot, as stored in `db.domain`.

    Attributes:
        kind: the character code of the spec type: 99 client, 67 unloaded client, 98 branch, 108
            label, 115 stream, 100 depot, and others.
        accessed_s: time of the last use, in seconds since the epoch.
        options: bits; 0x10000 marks a client whose have list is not in db.have.
        server_id: the server that a client is bound to; empty if there is none.
    """

    name: str
    kind: int
    owner: str
    accessed_s: int
    options: int
    stream: str
    server_id: str


class Group(NamedTuple):
    """A group with its limits, as stored in `db.group`; a limit of 0 or less means no limit.

    None is a limit that the release did not have, or on which the group's rows disagree.

    Attributes:
        users: the names of its direct members.
        groups: the names of its subgroups.
    """

    name: str
    users: frozenset[str]
    groups: frozenset[str]
    max_results: int | None
    max_scan_rows: int | None
    max_lock_time_ms: int | None


class SmallTables:
    """Collector, for an audit, of records of a checkpoint's small tables, added in file order.

    Attributes:
        unreadable_counts: the number of records with too few values, by table name.
    """

    def __init__(self) -> None:
        self.unreadable_counts: Counter[str] = Counter()
        self._domains: dict[str, Domain] = {}
        self._tables: dict[str, dict[tuple[str, ...], Sequence[str]]] = {
            name: {} for name in _KEYS
        }

    def take(self, operation: str, table: str, values: Sequence[int | str | None]) -> None:
        """Apply a record that writes or deletes a row of `TABLES`; skip view lines of clients."""
        texts = ["" if value is None else str(value) for value in values]
        if len(texts) < (_KEYS.get(table, 1) if operation == _GONE else _LEAST[table]):
            self.unreadable_counts[table] += 1
        elif table == "domain":
            self._take_domain(operation, texts)
        elif table != "view" or not self._is_client(texts[0]):
            rows, key = self._tables[table], tuple(texts[: _KEYS[table]])
            rows.pop(key, None)
            if operation != _GONE:
                rows[key] = texts

    def domains(self) -> list[Domain]:
        """Return the db.domain record of every spec in the checkpoint, sorted by type and name."""
        return sorted(self._domains.values(), key=lambda one: (one.kind, one.name))

    def groups(self) -> list[Group]:
        """Return the groups in the checkpoint, sorted by group name."""
        members: dict[str, list[Sequence[str]]] = {}
        for row in self._tables["group"].values():
            members.setdefault(row[1], []).append(row)
        return [_group(name, members[name]) for name in sorted(members)]

    def protections(self) -> list[Protection]:
        """Return the lines of the checkpoint's protections table, in table order.

        Empty if a line is unreadable, because each depends on the lines around it.
        """
        if self.unreadable_counts["protect"]:
            return []
        rows = self._tables["protect"]
        return [_protection(rows[key]) for key in sorted(rows, key=lambda key: _number(key[0]))]

    def view_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        """Yield (spec name, included depot path) of the named branches, labels and streams."""
        for row in self._tables["view"].values():
            if row[0] in names and row[2] not in _NO_INCLUDES:
                yield row[0], row[4]
        yield from self._stream_paths(names)

    def _stream_paths(self, names: Container[str]) -> Iterator[tuple[str, str]]:
        """Yield (stream name, included depot path) from the newest Paths of each named stream."""
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
        if operation == _GONE:
            self._domains.pop(values[0], None)
        else:
            self._domains[values[0]] = _domain(values)

    def _is_client(self, name: str) -> bool:
        domain = self._domains.get(name)
        return domain is not None and domain.kind == CLIENT


def read(checkpoint: Sequence[str], journals: Sequence[str]) -> SmallTables:
    """Read the small tables of a checkpoint and its journals, in their order, into memory.

    The last journal's last record may be cut off, as the server still writes it.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint.
    """
    tables = SmallTables()
    for record in records(checkpoint, journals, TABLES, lambda _: None):
        if record.table:
            tables.take(record.operation, record.table, record.values)
    return tables


# Indexes in a db.domain record, which has name, type, host, three roots, owner, two times,
# options, description, then stream (since 2011.1) and server (since 2012.1).
_OWNER, _ACCESSED, _OPTIONS, _STREAM, _SERVER = 6, 8, 9, 11, 12


def _domain(values: Sequence[str]) -> Domain:
    later = [*values[_STREAM : _SERVER + 1], "", ""]
    return Domain(
        values[0],
        _number(values[1]),
        values[_OWNER],
        _number(values[_ACCESSED]),
        _number(values[_OPTIONS]),
        later[0],
        later[1],
    )


def _group(name: str, rows: Iterable[Sequence[str]]) -> Group:
    users, subgroups = set(), set()
    limits: list[set[str]] = [set(), set(), set()]
    for values in rows:
        role = _number(values[2])
        users |= {values[0]} if role & _MEMBER else set()
        subgroups |= {values[0]} if role & _SUBGROUP else set()
        for place, of_rows in enumerate(limits, 3):
            of_rows.add(values[place] if place < len(values) else "")
    return Group(name, frozenset(users), frozenset(subgroups), *map(_limit, limits))


def _limit(of_rows: set[str]) -> int | None:
    """Return the limit that all rows of a group repeat; None if unknown or not the same."""
    text = next(iter(of_rows))
    return _number(text) if len(of_rows) == 1 and text else None


def _protection(values: Sequence[str]) -> Protection:
    _, is_group, name, host, rights, flag, path = values[:7]
    excludes = _number(flag) == _EXCLUSION
    return Protection(is_group == "1", name, host, _number(rights), excludes, path)


def _number(text: str) -> int:
    """Return a text as an integer; 0 if it is no integer or has 20 characters or more."""
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 20 else 0  # noqa: PLR2004
