"""Groups and their limits from records of `db.group`, which repeats the limits in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.workbench.audit.groups import Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = tuple[int, Sequence[int | str | None]]  # version, values

_MEMBER, _SUBGROUP = 1, 2
_WITH_OPEN_FILES, _WITH_MEMORY_VALUES = 9, 10
_LIMITS = {"MaxScanRows": 4, "MaxLockTime": 5}


def groups(rows: Iterable[Row]) -> list[Group]:
    """Build groups, sorted by name, from their records, one for each member."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(str(row[1][1]), []).append(row)
    return [_group(name, by_name[name]) for name in sorted(by_name)]


def _group(name: str, rows: Sequence[Row]) -> Group:
    members = [(str(values[0]), _number(values[2]) or 0) for _, values in rows]
    return Group(
        name,
        frozenset(user for user, role in members if role & _MEMBER),
        frozenset(group for group, role in members if role & _SUBGROUP),
        _limits(rows),
    )


def _limits(rows: Sequence[Row]) -> Mapping[str, int | None]:
    """A limit is None if the rows disagree or their version does not have it at a known place."""
    all_rows = [_limits_of(*row) for row in rows]
    first = all_rows[0]
    return {
        field: value if all(row[field] == value for row in all_rows) else None
        for field, value in first.items()
    }


def _limits_of(version: int, values: Sequence[int | str | None]) -> dict[str, int | None]:
    limits = {field: _number(values[place]) for field, place in _LIMITS.items()}
    limits["MaxOpenFiles"] = _number(values[6]) if version >= _WITH_OPEN_FILES else None
    has_memory = version == _WITH_OPEN_FILES and len(values) == _WITH_MEMORY_VALUES
    limits["MaxMemory"] = _number(values[9]) if has_memory else None
    return limits


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
