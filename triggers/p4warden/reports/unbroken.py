"""Names and numbers that a page keeps on one line, and the width that they need."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from rich.cells import cell_len

from p4warden.reports.rows import Names

if TYPE_CHECKING:
    from p4warden.reports.rows import Table, Text

PHONE, HALF, TABLET, SCREEN = 42, 60, 75, 124
"""Characters of a row on a phone, half a screen, a tablet and a screen, by `page.css`."""

_BETWEEN_COLUMNS = 2
_PROSE = 24
"""Characters to which a column of longer texts may shrink."""

_BLANKS = re.compile(r"(\s+)")
_BREAKABLE = re.compile(r"[^\sA-Za-z0-9]")
"""Browsers break words beside some of these."""


def words(text: str) -> str:
    """Let a text wrap at blanks only: browsers break paths and names at hyphens and slashes."""
    return "".join(whole(part) if _is_name(part) else escape(part) for part in _BLANKS.split(text))


def _is_name(word: str) -> bool:
    return bool(_BREAKABLE.search(word)) or cell_len(word) > PHONE


def whole(name: str) -> str:
    """Keep a name on one line; only one longer than a phone's line may be broken there."""
    kind = ' class="long"' if cell_len(name) > PHONE else ""
    return f"<span{kind}>{escape(name)}</span>"


def least_width(table: Table) -> int:
    """Return the characters that a row needs if no name is broken and no column is too narrow."""
    headings = [max(map(cell_len, name.split()), default=0) for name in table.columns]
    cells = [max(map(_least_cell, column)) for column in zip(*table.rows, strict=True)]
    return sum(max(pair) + _BETWEEN_COLUMNS for pair in zip(headings, cells, strict=True))


def _least_cell(text: Text) -> int:
    units = [*text.frequent_names] if isinstance(text, Names) else text.split()
    return max([min(cell_len(str(text)), _PROSE), *map(cell_len, units)])
