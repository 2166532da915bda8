"""Cells of CSV files that are opened with a spreadsheet."""

from __future__ import annotations

from p4warden.core.printable import printable

_FORMULA = ("=", "+", "-", "@")
"""First characters of a cell that spreadsheets take for a formula."""


def spec_lines(text: str) -> str:
    """Return lines of a spec as they are pasted from a spreadsheet into a form.

    A path with a sign, as `+//depot/a/...`, is put in quotes, which p4 reads as the same line and
    no spreadsheet takes for a formula.
    """
    return cell("\n".join(map(_quoted, text.split("\n"))))


def _quoted(line: str) -> str:
    if not line.startswith(("+//", "-//", "&//")):
        return line
    path, *rest = line.split(" ", 1)
    return " ".join((f'"{path}"', *rest))


def cell(text: str) -> str:
    """Return a text as printable lines, the first of which no spreadsheet takes for a formula."""
    shown = "".join(c if c.isprintable() or c == "\n" else printable(c) for c in text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
