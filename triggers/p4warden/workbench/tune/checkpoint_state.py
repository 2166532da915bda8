"""The state that is judged, from the small tables of a checkpoint.

Of a table with records in a version that the list of tables lacks, nothing is judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from p4warden.core import releases
from p4warden.core.plural import amount
from p4warden.core.printable import decoded
from p4warden.workbench.audit import small_tables
from p4warden.workbench.tune.known_settings import known
from p4warden.workbench.tune.server_state import (
    COMMENTS,
    Note,
    ProtectionTable,
    ServerState,
    StoredProperty,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from p4warden.workbench.checkpoint.small_tables import SmallTables

Built = TypeVar("Built")

_LOSSES = {
    "config": "these configurables are",
    "counters": "the release is",
    "group": "limits of groups are",
    "property": "properties are",
    "protect": "the protections table is",
}
TABLES = tuple(_LOSSES)
_UNREAD_PROTECTIONS = ProtectionTable((), (), "records of an unknown format")
_SCOPES = {1: "user", 2: "group"}


def _is_judged_value(values: Sequence[Any]) -> bool:
    return values[1] in (COMMENTS, *(one.name for one in known().configurables))


def _is_judged_property(values: Sequence[Any]) -> bool:
    return any(one.name == values[0] for one in known().properties)


def _is_release(values: Sequence[Any]) -> bool:
    return bool(values[0] == "upgrade")


KEPT = {"config": _is_judged_value, "property": _is_judged_property, "counters": _is_release}
"""Values of other configurables, properties and counters may be secrets."""


def state(tables: SmallTables) -> ServerState:
    """Return the state of a server, by the records of `TABLES`."""
    values = _read(tables, "config", _values)
    return ServerState(
        _releases(tables),
        None if values is None else [one for one in values if one.name != COMMENTS],
        _read(tables, "group", small_tables.groups),
        _read(tables, "property", _properties),
        _read(tables, "protect", _protections) or _UNREAD_PROTECTIONS,
        notes=[*_notes(tables)],
        needs_comment=any(one.name == COMMENTS and one.value == "1" for one in values or ()),
    )


def _read(tables: SmallTables, table: str, build: Callable[[SmallTables], Built]) -> Built | None:
    return None if tables.unread_counts()[table] else build(tables)


def _releases(tables: SmallTables) -> releases.Releases | None:
    numbers = [str(value) for (value,) in tables.rows("select value from counters")]
    number = numbers[0] if numbers else ""
    return releases.of_upgrade(int(number)) if number.isdecimal() and len(number) < 9 else None  # noqa: PLR2004 - digits


def _notes(tables: SmallTables) -> Iterator[Note]:
    for (table, version), count in sorted(tables.unread.items()):
        if table in _LOSSES:
            records_of = f"{amount(count, 'record')} of db.{table} in version {version}"
            loss = f"whose fields p4warden does not know: {_LOSSES[table]} not judged"
            yield Note(table, f"{records_of}, {loss}")


def _values(tables: SmallTables) -> list[Value]:
    return [Value(*map(str, row)) for row in tables.rows("select server, name, value from config")]


def _properties(tables: SmallTables) -> list[StoredProperty]:
    rows = tables.rows("select name, seq, scope_type, scope, value from property")
    return [
        StoredProperty(
            name, seq, f"{_SCOPES.get(kind, 'scope')} {scope}" if scope else "", str(value)
        )
        for name, seq, kind, scope, value in rows
    ]


def _protections(tables: SmallTables) -> ProtectionTable:
    problem = ""
    for flag, subpath in tables.rows("select flag, subpath from protect order by seq"):
        if flag not in (0, 1):
            problem = f"a line has the mark {flag}, which p4warden does not know"
        elif subpath:
            problem = f"a part of the table belongs to {decoded(str(subpath))} (subPath)"
    return ProtectionTable(small_tables.protections(tables), (), problem)
