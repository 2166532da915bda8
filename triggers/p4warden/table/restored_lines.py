"""Restore an installation's lines of an earlier triggers table in the present one, for a rollback.

The other rows, comments and blank rows included, keep their text and their order. A restored line
goes behind the nearest other line that was above it and still exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.table.merge import first_place, plan_of
from p4warden.table.triggers_table import name_of, split

if TYPE_CHECKING:
    from p4warden.table.merge import Owner, Plan


def restore(form: str, old_form: str, owner: Owner) -> Plan:
    """Plan a triggers table in which this installation's lines are as in an earlier table."""
    _, rows = split(form)
    _, old_rows = split(old_form)
    others = [row for row in rows if not owner.has(row)]
    is_same = others == [row for row in old_rows if not owner.has(row)]
    merged_rows = old_rows if is_same else _merged(others, old_rows, owner)
    return plan_of(form, merged_rows, owner)


def _merged(others: list[str], old_rows: list[str], owner: Owner) -> list[str]:
    behind: dict[int, list[str]] = {}
    for place, row in enumerate(old_rows):
        if owner.has(row):
            behind.setdefault(_anchor(others, old_rows, place, owner), []).append(_ended(row))
    merged_rows = list(behind.get(-1, ()))
    for place, row in enumerate(others):
        merged_rows += [_ended(row) if place in behind else row, *behind.get(place, ())]
    return merged_rows


def _anchor(others: list[str], old_rows: list[str], place: int, owner: Owner) -> int:
    """Return the index in `others` of the row after which an old trigger line is inserted.

    -1 to insert the line before all rows.
    """
    lines = [row for row in old_rows[:place] if name_of(row) is not None and not owner.has(row)]
    for row in reversed(lines):
        position = _find(others, row)
        if position is not None:
            return position
    if not lines:
        return first_place(others) - 1
    return max((at for at, row in enumerate(others) if name_of(row) is not None), default=-1)


def _find(others: list[str], row: str) -> int | None:
    if row in others:
        return others.index(row)
    names = [name_of(other) for other in others]
    return names.index(name_of(row)) if name_of(row) in names else None


def _ended(row: str) -> str:
    return row if row.endswith("\n") else f"{row}\n"
