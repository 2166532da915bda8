"""Merge p4warden's trigger lines into a triggers table, and plan the table to write.

A trigger line belongs to this installation by its name and by the home folder in its command: both
are needed to distinguish two installations on one server. All other text, comments and odd spacing
included, stays unchanged and in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.table.triggers_table import TableError, entries, name_of, split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.table.triggers_table import TriggerLine

WHERE = ("first", "last", "before", "after")


class Owner(NamedTuple):
    """The marks by which a p4warden installation recognizes its own trigger lines.

    Attributes:
        home: the path of the home folder as the trigger lines contain it.
    """

    prefix: str
    home: str

    def has(self, row: str) -> bool:
        return self._has_prefix(row) and f"--home={self.home}%quote%" in row

    def rows_in(self, form: str) -> list[str]:
        return [row for row in entries(form) if self.has(row)]

    def is_like(self, row: str) -> bool:
        return self._has_prefix(row) and not self.has(row)

    def _has_prefix(self, row: str) -> bool:
        name = name_of(row)
        return name is not None and name.startswith(self.prefix)


class TablePosition(NamedTuple):
    """The position in the triggers table where all of p4warden's lines are placed together.

    Attributes:
        kind: one of `WHERE`.
        name: with `before` and `after`, the name of another tool's line next to the position.
    """

    kind: str
    name: str = ""


class Plan(NamedTuple):
    """The planned change of a triggers table.

    Attributes:
        strangers: names of lines that are named like this installation's and belong to another.
    """

    before: str
    after: str
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    kept_count: int = 0
    foreign: int = 0
    strangers: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return self.before != self.after


def merge(
    form: str, new_lines: Iterable[TriggerLine], owner: Owner, place: TablePosition | None = None
) -> Plan:
    """Plan a triggers table with the wanted lines and no other lines of this installation.

    Raises:
        TableError: the form has no `Triggers:` field, or no line with the place's name.
    """
    _, rows = split(form)
    texts = {line.name: line.text() for line in new_lines}
    merged_rows, names_in_place = _without_own_lines(rows, texts, owner, in_place=place is None)
    missing_texts = [text for name, text in texts.items() if name not in names_in_place]
    at = _index(merged_rows, place or TablePosition("last"), owner)
    if missing_texts and at and not merged_rows[at - 1].endswith("\n"):
        merged_rows[at - 1] += "\n"
    merged_rows[at:at] = missing_texts
    return plan_of(form, merged_rows, owner)


def _without_own_lines(
    rows: list[str], texts: dict[str, str], owner: Owner, *, in_place: bool
) -> tuple[list[str], set[str]]:
    """Remove this installation's lines from the rows of a triggers table.

    With `in_place`, the first line of each wanted name stays in its place, with its new text.
    """
    merged_rows: list[str] = []
    names_in_place: set[str] = set()
    for row in rows:
        name = name_of(row)
        if not owner.has(row):
            merged_rows.append(row)
        elif in_place and name in texts and name not in names_in_place:
            merged_rows.append(texts[name])
            names_in_place.add(name)
    return merged_rows, names_in_place


def _index(rows: list[str], place: TablePosition, owner: Owner) -> int:
    lines = [n for n, row in enumerate(rows) if name_of(row) is not None]
    if place.kind == "first":
        return first_place(rows)
    if place.kind == "last":
        return lines[-1] + 1 if lines else 0
    positions = [n for n in lines if name_of(rows[n]) == place.name and not owner.has(rows[n])]
    if not positions:
        names = ", ".join(str(name_of(rows[n])) for n in lines) or "none"
        raise TableError(f"no line of another tool is named {place.name}; there are: {names}")
    return _above_comments(rows, positions[0]) if place.kind == "before" else positions[-1] + 1


def first_place(rows: list[str]) -> int:
    """Return the row index of the first trigger line or the comments just above it; else 0."""
    first = next((n for n, row in enumerate(rows) if name_of(row) is not None), None)
    return 0 if first is None else _above_comments(rows, first)


def _above_comments(rows: list[str], line: int) -> int:
    while line and name_of(rows[line - 1]) is None and rows[line - 1].strip():
        line -= 1
    return line


def plan_of(form: str, merged_rows: list[str], owner: Owner) -> Plan:
    """Return the planned change of a triggers table to new rows."""
    head, rows = split(form)
    old, new = _own_lines(rows, owner), _own_lines(merged_rows, owner)
    names = [name_of(row) or "" for row in rows if owner.has(row)]
    return Plan(
        before=form,
        after=head + "".join(merged_rows),
        added=tuple(name for name in new if name not in old),
        updated=tuple(name for name in new if name in old and new[name][0] != old[name][0]),
        removed=tuple(
            name for n, name in enumerate(names) if name not in new or name in names[:n]
        ),
        moved=tuple(name for name in new if name in old and new[name][1] != old[name][1]),
        kept_count=sum(name in old and new[name] == old[name] for name in new),
        foreign=sum(name_of(row) is not None for row in rows) - len(names),
        strangers=tuple(name_of(row) or "" for row in rows if owner.is_like(row)),
    )


def _own_lines(rows: list[str], owner: Owner) -> dict[str, tuple[str, int]]:
    """Return this installation's trigger lines by name.

    Each value is the line's text and the number of other tools' lines above it.
    """
    by_name: dict[str, tuple[str, int]] = {}
    above = 0
    for row in rows:
        if owner.has(row):
            by_name.setdefault(name_of(row) or "", (row, above))
        elif name_of(row) is not None:
            above += 1
    return by_name
