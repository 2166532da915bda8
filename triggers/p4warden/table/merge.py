"""A triggers table and the lines that we want in it -> the table to write.

A line is ours by its name and by the home folder that its command names: two installations on one
server are told apart by both. All other text, comments and odd spacing included, keeps its bytes
and its order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.table.triggers_table import TableError, name_of, split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.table.triggers_table import TriggerLine

WHERE = ("first", "last", "before", "after")


class Owner(NamedTuple):
    """The owner of our trigger lines, by the marks that identify them.

    Attributes:
        prefix: the start of our lines' names.
        home: the home folder as our lines name it.
    """

    prefix: str
    home: str

    def has(self, row: str) -> bool:
        """Tell whether a row is ours: every line of ours names its home folder."""
        return self._named(row) and f"--home={self.home}%quote%" in row

    def is_like(self, row: str) -> bool:
        """Tell whether a row has a name like ours and is another's."""
        return self._named(row) and not self.has(row)

    def _named(self, row: str) -> bool:
        name = name_of(row)
        return name is not None and name.startswith(self.prefix)


class Place(NamedTuple):
    """Where our lines are to stand, all of them together.

    Attributes:
        where: one of `WHERE`.
        name: with `before` and `after`, the name of another's line.
    """

    where: str
    name: str = ""


class Plan(NamedTuple):
    """The effect of a merge on a table.

    Attributes:
        before: the form's text as it is.
        after: the form's text as it will be.
        added: names of our lines that are new, table order.
        updated: names of our lines whose text changes, table order.
        removed: names of our lines that go, table order.
        moved: names of our lines that will stand elsewhere among the others', table order.
        kept: how many lines of ours stay as they are.
        foreign: how many lines are others'; they keep their bytes and their order.
        strangers: names like ours of lines that are another's.
    """

    before: str
    after: str
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    kept: int = 0
    foreign: int = 0
    strangers: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def merge(
    form: str, wanted: Iterable[TriggerLine], owner: Owner, place: Place | None = None
) -> Plan:
    """Plan the table that has just the wanted lines of ours.

    Args:
        form: the text of `p4 triggers -o`.
        wanted: our lines, in their order.
        owner: whose lines are ours.
        place: where all our lines go; without one, those that are there stay in their places and
            new ones go behind the last line of the table.

    Raises:
        TableError: the form has no `Triggers:` field, or no line of the place's name.
    """
    head, rows = split(form)
    texts = {line.name: line.text() for line in wanted}
    merged, stayed = _without_ours(rows, texts, owner, in_place=place is None)
    missing = [text for name, text in texts.items() if name not in stayed]
    at = _index(merged, place or Place("last"), owner)
    if missing and at and not merged[at - 1].endswith("\n"):
        merged[at - 1] += "\n"
    merged[at:at] = missing
    return plan_of(form, head + "".join(merged), rows, merged, owner)


def _without_ours(
    rows: list[str], texts: dict[str, str], owner: Owner, *, in_place: bool
) -> tuple[list[str], set[str]]:
    """Return the rows without ours, or with the first of each name as it is wanted in its place.

    Also returned are the names of those.
    """
    merged: list[str] = []
    stayed: set[str] = set()
    for row in rows:
        name = name_of(row)
        if not owner.has(row):
            merged.append(row)
        elif in_place and name in texts and name not in stayed:
            merged.append(texts[name])
            stayed.add(name)
    return merged, stayed


def _index(rows: list[str], place: Place, owner: Owner) -> int:
    """Return where rows are to be put in; comments directly above a line stay with it."""
    lines = [n for n, row in enumerate(rows) if name_of(row) is not None]
    if place.where == "first":
        return first_place(rows)
    if place.where == "last":
        return lines[-1] + 1 if lines else 0
    named = [n for n in lines if name_of(rows[n]) == place.name and not owner.has(rows[n])]
    if not named:
        names = ", ".join(str(name_of(rows[n])) for n in lines) or "none"
        raise TableError(f"no line of others is named {place.name}; there are: {names}")
    return _above_comments(rows, named[0]) if place.where == "before" else named[-1] + 1


def first_place(rows: list[str]) -> int:
    """Return the place before the first trigger line and the comments that belong to it."""
    first = next((n for n, row in enumerate(rows) if name_of(row) is not None), None)
    return 0 if first is None else _above_comments(rows, first)


def _above_comments(rows: list[str], line: int) -> int:
    while line and name_of(rows[line - 1]) is None and rows[line - 1].strip():
        line -= 1
    return line


def plan_of(form: str, after: str, rows: list[str], merged: list[str], owner: Owner) -> Plan:
    """Say what changes from one list of rows to the other."""
    old, new = _ours(rows, owner), _ours(merged, owner)
    number = sum(owner.has(row) for row in rows)
    twice = [name_of(row) or "" for row in rows if owner.has(row)]
    return Plan(
        before=form,
        after=after,
        added=tuple(name for name in new if name not in old),
        updated=tuple(name for name in new if name in old and new[name][0] != old[name][0]),
        removed=tuple(_removed(twice, set(new))),
        moved=tuple(name for name in new if name in old and new[name][1] != old[name][1]),
        kept=sum(name in old and new[name] == old[name] for name in new),
        foreign=sum(name_of(row) is not None for row in rows) - number,
        strangers=tuple(name_of(row) or "" for row in rows if owner.is_like(row)),
    )


def _ours(rows: list[str], owner: Owner) -> dict[str, tuple[str, int]]:
    """Return our lines by name: the first one's text, and how many of others stand above it."""
    found: dict[str, tuple[str, int]] = {}
    above = 0
    for row in rows:
        if owner.has(row):
            found.setdefault(name_of(row) or "", (row, above))
        elif name_of(row) is not None:
            above += 1
    return found


def _removed(names: list[str], wanted: set[str]) -> list[str]:
    """Return the names that go: those that are not wanted, and the second of a name."""
    seen: set[str] = set()
    removed = []
    for name in names:
        if name not in wanted or name in seen:
            removed.append(name)
        seen.add(name)
    return removed
