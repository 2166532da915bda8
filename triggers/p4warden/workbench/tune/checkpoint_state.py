"""Read the state that is judged from a checkpoint and its journals, in one pass.

The fields of each version of a record are those of the "P4 Server Schema", r06.2 to r24.1; a
record of another version is counted and not read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from p4warden.core import releases
from p4warden.core.plural import amount
from p4warden.core.printable import decoded
from p4warden.index.records import DELETED, records
from p4warden.workbench.audit.protections import Protection
from p4warden.workbench.tune.group_rows import groups
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.replicas import is_host_program, replica
from p4warden.workbench.tune.server_state import (
    COMMENTS,
    Note,
    ProtectionTable,
    ServerState,
    StoredProperty,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from p4warden.index.records import Record
    from p4warden.workbench.tune.group_rows import Row

Built = TypeVar("Built")


class _Table(NamedTuple):
    key_values: int
    least: Mapping[int, int]  # values of a record, by version
    loss: str


_TABLES = {
    "config": _Table(2, {1: 3}, "these configurables are"),
    "counters": _Table(1, {0: 2, 1: 2}, "the release is"),
    "group": _Table(2, {**dict.fromkeys(range(8), 7), 8: 8, 9: 9, 10: 9}, "limits of groups are"),
    "property": _Table(4, {0: 7, 1: 7}, "properties are"),
    "protect": _Table(1, {4: 7, 5: 9, 6: 9}, "the protections table is"),
    "server": _Table(1, {0: 6, 1: 7, 2: 8, 3: 11}, "replicas are"),
    "trigger": _Table(1, {2: 6, 3: 7}, "triggers are"),
}
_UNREAD_PROTECTIONS = ProtectionTable((), (), "records of an unknown format")
_SERVICES_WITH_EXTERNAL_ADDRESS = 2
_SCOPES = {1: "user", 2: "group"}


def read(checkpoint: Sequence[str], journals: Sequence[str]) -> ServerState:
    """Read the state; the last journal's last record may be cut off, as it is still written.

    Raises:
        IndexFileError: a file cannot be read, is damaged, or is not the whole checkpoint.
    """
    tables = _Tables()
    for record in records(checkpoint, journals, _TABLES, lambda _: None):
        if record.table:
            tables.take(record)
    return tables.state()


class _Tables:
    def __init__(self) -> None:
        self.unknown: Counter[tuple[str, int]] = Counter()
        self._rows: dict[str, dict[tuple[object, ...], Row]] = {name: {} for name in _TABLES}

    def take(self, record: Record) -> None:
        table, version, values = record.table, record.version or 0, record.values
        rows, key = self._rows[table], tuple(values[: _TABLES[table].key_values])
        if record.operation == DELETED:
            rows.pop(key, None)
            return
        least = _TABLES[table].least.get(version)
        if least is None or len(values) < least:
            self.unknown[table, version] += 1
        elif _is_judged(table, values):
            rows[key] = version, values

    def state(self) -> ServerState:
        values = self._read("config", lambda rows: [*map(_value, rows)])
        return ServerState(
            self._releases(),
            None if values is None else [one for one in values if one.name != COMMENTS],
            self._read("group", groups),
            self._read("property", lambda rows: [*map(_property, rows)]),
            self._read("server", _replicas),
            self._read("trigger", _host_programs),
            self._read("protect", _protections) or _UNREAD_PROTECTIONS,
            notes=[*self._notes()],
            needs_comment=any(one.name == COMMENTS and one.value == "1" for one in values or ()),
        )

    def _read(self, table: str, build: Callable[[list[Row]], Built]) -> Built | None:
        if any(name == table for name, _ in self.unknown):
            return None
        return build([*self._rows[table].values()])

    def _releases(self) -> releases.Releases | None:
        row = self._rows["counters"].get(("upgrade",))
        number = str(row[1][1]) if row else ""
        return releases.of_upgrade(int(number)) if number.isdecimal() and len(number) < 9 else None  # noqa: PLR2004 - digits

    def _notes(self) -> Iterator[Note]:
        for (table, version), count in sorted(self.unknown.items()):
            records_of = f"{amount(count, 'record')} of db.{table} in version {version}"
            loss = f"whose fields p4warden does not know: {_TABLES[table].loss} not judged"
            yield Note(table, f"{records_of}, {loss}")


def _is_judged(table: str, values: Sequence[object]) -> bool:
    """Values of other configurables and properties may be secrets and are dropped at once."""
    if table == "config":
        return values[1] in (COMMENTS, *(one.name for one in known().configurables))
    if table == "property":
        return any(one.name == values[0] for one in known().properties)
    return table != "counters" or values[0] == "upgrade"


def _value(row: Row) -> Value:
    return Value(*map(str, row[1][:3]))


def _property(row: Row) -> StoredProperty:
    name, sequence, kind, scope, value = row[1][:5]
    of = f"{_SCOPES.get(_number(kind), 'scope')} {scope}" if scope else ""
    return StoredProperty(str(name), _number(sequence), of, str(value))


def _host_programs(rows: Iterable[Row]) -> int:
    """Count triggers by name: a line for several paths has one record each."""
    names = set()
    for _, values in rows:
        action = values[6] if len(values) > 6 else values[5]  # noqa: PLR2004 - by the schema
        if is_host_program(str(action)):
            names.add(values[1])
    return len(names)


def _replicas(rows: Iterable[Row]) -> list[str]:
    found = []
    for version, values in rows:
        services = values[5 if version >= _SERVICES_WITH_EXTERNAL_ADDRESS else 4]
        name = replica(services)
        found += [f"{decoded(str(values[0]))} ({name})"] if name else []
    return sorted(found)


def _protections(rows: Iterable[Row]) -> ProtectionTable:
    problem, lines = "", []
    for _, values in sorted(rows, key=lambda row: _number(row[1][0])):
        _, is_group, name, host, rights, flag, path, *rest = values
        lines.append(
            Protection(
                str(is_group) == "1",
                str(name),
                str(host),
                _number(rights),
                flag == 1,
                str(path),
            )
        )
        if flag not in (0, 1):
            problem = f"a line has the mark {flag}, which p4warden does not know"
        elif rest and rest[0]:
            problem = f"a part of the table belongs to {decoded(str(rest[0]))} (subPath)"
    return ProtectionTable(lines, (), problem)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
