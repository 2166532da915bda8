from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

from p4warden.core.form_start import without_text_before

_TAG = re.compile(r"triggers:", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')
_NAME = re.compile(r'[ \t\r\v\f]+(?:"([^"]*)"|([^ \t\r\v\f\n]+))')


class TableError(ValueError):
    """Error: a text is not a triggers table, or lacks a requested line; the error says why."""


class TriggerLine(NamedTuple):
    """One line of a triggers table: name, type, path and command (p4 help triggers)."""

    name: str
    type: str
    path: str
    command: str

    def text(self) -> str:
        words = (self.name, self.type, self.path, self.command)
        return "\t" + " ".join(f'"{w}"' if " " in w or "#" in w else w for w in words) + "\n"


def entries(form: str) -> tuple[str, ...]:
    """Return the lines of a triggers table, without comments and blank lines."""
    _, rows = split(form)
    return tuple(row for row in rows if name_of(row) is not None)


def name_of(row: str) -> str | None:
    """Return the trigger name in a row of a triggers table; None if the row is no trigger line."""
    match = _NAME.match(row)
    name = (match[1] or match[2]) if match else None
    return None if name is None or name.startswith("#") else name


def line_in(row: str) -> TriggerLine | None:
    """Return the line in a row of a triggers table; None if it has other than four words."""
    words = [quoted or bare for quoted, bare in _WORD.findall(row)]
    return TriggerLine(*words) if len(words) == len(TriggerLine._fields) else None


def split(form: str) -> tuple[str, list[str]]:
    """Split the form of a triggers table behind its `Triggers:` line, into text and later rows.

    Raises:
        TableError: the form has no `Triggers:` field.
    """
    rows = _rows(form)
    for number, row in enumerate(rows):
        if _TAG.match(row):
            head = "".join(rows[: number + 1])
            # A missing line end after `Triggers:` is added, so that the first added trigger line
            # does not continue that line.
            return head if head.endswith("\n") else f"{head}\n", rows[number + 1 :]
    raise TableError("the form has no Triggers: field")


def table_in(output: str) -> str:
    """Return the form in the output of `p4 triggers -o`, without what triggers printed around it.

    Raises:
        TableError: the output has no `Triggers:` field.
    """
    head, rows = split(without_text_before(output, "Triggers"))
    return head + "".join(takewhile(_can_be_of_form, rows))


def _can_be_of_form(row: str) -> bool:
    return not row[:1].strip() or row.startswith("#")


def _rows(form: str) -> list[str]:
    """Split the form of a triggers table into rows with their line ends.

    As in p4d, a line end between quotation marks does not end a row, except in a comment.
    """
    rows: list[str] = []
    start = 0
    is_quoted = is_commented = False
    for place in re.finditer(r'["#\n]', form):
        mark = place[0]
        if mark == '"' and not is_commented:
            is_quoted = not is_quoted
        elif mark == "#" and not is_quoted:
            is_commented = True
        elif mark == "\n" and not is_quoted:
            rows.append(form[start : place.end()])
            start, is_commented = place.end(), False
    return [*rows, form[start:]] if start < len(form) else rows
