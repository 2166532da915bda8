"""Cells of CSV files that are opened with a spreadsheet."""

from __future__ import annotations

from p4warden.core.printable import printable

_FORMULA = ("=", "+", "-", "@")
"""First characters of a cell that spreadsheets take for a formula."""


def cell(text: str) -> str:
    """Return a text as printable lines, the first of which no spreadsheet takes for a formula."""
    shown = "".join(c if c.isprintable() or c == "\n" else printable(c) for c in text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
