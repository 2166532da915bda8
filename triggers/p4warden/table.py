"""The triggers table: its text, whose lines are whose, and the merge.

A line of ours has a name that starts with `PREFIX`. All other text, comments and odd spacing
included, keeps its bytes and its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

PREFIX = "p4warden."
_TAG = re.compile(r"triggers:", re.IGNORECASE)
_NAME = re.compile(r'[ \t\r\v\f]+(?:"([^"]*)"|([^ \t\r\v\f\n]+))')


class TableError(ValueError):
    """The text is no triggers form; the text says why."""


class TriggerLine(NamedTuple):
    """One line of the table: p4 help triggers calls its words name, type, path and command."""

    name: str
    type: str
    path: str
    command: str

    def text(self) -> str:
        """Return the line as it stands in the form, with its indentation and line end."""
        words = (self.name, self.type, self.path, self.command)
        return "\t" + " ".join(f'"{w}"' if " " in w or "#" in w else w for w in words) + "\n"


class Plan(NamedTuple):
    """What a merge does to a table.

    Attributes:
        before: the form's text as it is.
        after: the form's text as it will be.
        added: names of our lines that are new, table order.
        updated: names of our lines whose text changes, table order.
        removed: names of our lines that go, table order.
        kept: how many lines of ours stay as they are.
        foreign: how many lines are others'; they stay byte for byte where they are.
    """

    before: str
    after: str
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: int = 0
    foreign: int = 0

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def entries(form: str) -> tuple[str, ...]:
    """Return the table's lines as they stand in the form, comments and blank lines left out.

    Raises:
        TableError: the form has no `Triggers:` field.
    """
    _, rows = _split(form)
    return tuple(row for row in rows if name_of(row) is not None)


def name_of(row: str) -> str | None:
    """Return a row's trigger name; None for a row that is no trigger line."""
    match = _NAME.match(row)
    name = (match[1] or match[2]) if match else None
    return None if name is None or name.startswith("#") else name


def merge(form: str, wanted: Iterable[TriggerLine]) -> Plan:
    """Plan the table that has just the wanted lines of ours.

    A line of ours that is there already stays in its place; new ones go to the end.

    Raises:
        TableError: the form has no `Triggers:` field.
    """
    head, rows = _split(form)
    texts = {line.name: line.text() for line in wanted}
    merged: list[str] = []
    end = 0  # where our new lines go: after the last trigger line, whatever follows it
    fates: dict[str, list[str]] = {"kept": [], "updated": [], "removed": [], "foreign": []}
    for row in rows:
        fate, text = _fate(row, texts, fates["kept"] + fates["updated"])
        fates.get(fate, []).append(name_of(row) or "")
        if text:
            merged.append(text)
        end = len(merged) if name_of(row) is not None else end
    added = [name for name in texts if name not in fates["kept"] + fates["updated"]]
    if added and end and not merged[end - 1].endswith("\n"):
        merged[end - 1] += "\n"
    merged[end:end] = [texts[name] for name in added]
    return Plan(
        before=form,
        after=head + "".join(merged),
        added=tuple(added),
        updated=tuple(fates["updated"]),
        removed=tuple(fates["removed"]),
        kept=len(fates["kept"]),
        foreign=len(fates["foreign"]),
    )


def _fate(row: str, texts: Mapping[str, str], taken: Collection[str]) -> tuple[str, str]:
    """Return what becomes of a row, and its new text; a second line of one name of ours goes."""
    name = name_of(row)
    if name is None:
        return "no trigger line", row
    if not name.startswith(PREFIX):
        return "foreign", row
    if name not in texts or name in taken:
        return "removed", ""
    return ("kept" if texts[name] == row else "updated"), texts[name]


def _split(form: str) -> tuple[str, list[str]]:
    """Split a form into everything up to its `Triggers:` line, and the rows below that."""
    rows = _rows(form)
    for number, row in enumerate(rows):
        if _TAG.match(row):
            return "".join(rows[: number + 1]), rows[number + 1 :]
    raise TableError("the form has no Triggers: field")


def _rows(form: str) -> list[str]:
    """Split a form at its line ends, which are kept; a quote shields them, as p4d has it."""
    rows: list[str] = []
    start = 0
    quoted = commented = False
    for place in re.finditer(r'["#\n]', form):
        mark = place[0]
        if mark == '"' and not commented:
            quoted = not quoted
        elif mark == "#" and not quoted:
            commented = True
        elif mark == "\n" and not quoted:
            rows.append(form[start : place.end()])
            start, commented = place.end(), False
    return [*rows, form[start:]] if start < len(form) else rows
