"""The small tables of a checkpoint: specs, groups and protections, in their last state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.audit.protections import Protection
from p4warden.index.records import records

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

CLIENT, BRANCH, LABEL, STREAM = 99, 98, 108, 115
_MEMBER, _SUBGROUP = 1, 2
_EXCLUSION = 1
_GONE = "dv"


class Domain(NamedTuple):
    """A specification, as `db.domain` has it.

    Attributes:
        kind: 99 client, 98 branch, 108 label, 115 stream, 100 depot and others.
        accessed_s: when it was used last, in seconds since the epoch.
        options: bits; 0x10000 for clients whose list of files is in no checkpoint.
        server_id: the server that it is bound to; empty where it is bound to none.
    """

    name: str
    kind: int
    owner: str
    accessed_s: int
    options: int
    stream: str
    server_id: str


class Group(NamedTuple):
    """A group with its limits, as `db.group` has them; 0 and less are no limits.

    Attributes:
        users: its members.
        groups: its subgroups.
    """

    name: str
    users: frozenset[str]
    groups: frozenset[str]
    max_results: int
    max_scan_rows: int
    max_lock_time_ms: int


def domains(files: Sequence[str]) -> list[Domain]:
    """Return every specification of the files, by type and name."""
    found: dict[str, Domain] = {}
    for operation, values in _records(files, "domain"):
        if operation == _GONE:
            found.pop(values[0], None)
        elif len(values) > _OPTIONS:
            found[values[0]] = _domain(values)
    return sorted(found.values(), key=lambda one: (one.kind, one.name))


# Fields of db.domain: name, type, host, three roots, owner, two times, options, description, and
# since 2011.1 and 2012.1 stream and server.
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


def groups(files: Sequence[str]) -> list[Group]:
    """Return the groups, by name."""
    rows: dict[tuple[str, ...], Sequence[str]] = {}
    for operation, values in _records(files, "group"):
        key = tuple(values[:2])
        rows.pop(key, None)
        if operation != _GONE:
            rows[key] = values
    members: dict[str, list[Sequence[str]]] = {}
    for row in rows.values():
        members.setdefault(row[1], []).append(row)
    return [_group(name, members[name]) for name in sorted(members)]


def _group(name: str, rows: Iterable[Sequence[str]]) -> Group:
    users, subgroups = set(), set()
    limits = [0, 0, 0]
    for values in rows:
        role = _number(values[2])
        users |= {values[0]} if role & _MEMBER else set()
        subgroups |= {values[0]} if role & _SUBGROUP else set()
        limits = [_number(value) for value in values[3:6]]
    return Group(name, frozenset(users), frozenset(subgroups), *limits)


def protections(files: Sequence[str]) -> list[Protection]:
    """Return the lines of the protections table, in order."""
    rows: dict[int, Sequence[str]] = {}
    for operation, values in _records(files, "protect"):
        number = _number(values[0])
        rows.pop(number, None)
        if operation != _GONE:
            rows[number] = values
    return [_protection(rows[number]) for number in sorted(rows)]


def _protection(values: Sequence[str]) -> Protection:
    _, is_group, name, host, rights, flag, path = values[:7]
    excludes = _number(flag) == _EXCLUSION
    return Protection(is_group == "1", name, host, _number(rights), excludes, path)


def view_paths(files: Sequence[str], names: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the include lines of some views: the name and the depot path."""
    rows: dict[tuple[str, str], Sequence[str]] = {}
    for operation, values in _records(files, "view"):
        key = (values[0], values[1])
        if values[0] not in names:
            continue
        rows.pop(key, None)
        if operation != _GONE:
            rows[key] = values
    for row in rows.values():
        if row[2] not in ("1", "3"):
            yield row[0], row[4]


def _records(files: Sequence[str], table: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the records of a table, of one file after another, numbers as texts."""
    for file in files:
        for record in records(file, [table], lambda _: None, growing=True):
            if record.table:
                yield record.operation, [str(value) for value in record.values]


def _number(text: str) -> int:
    """Return a number; 0 where the text is none."""
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else 0  # noqa: PLR2004
