from __future__ import annotations

from rich.table import Table
from rich.text import Text

from p4warden.core.printable import printable

_NUMBERS = set("hit judged users commands for refused delayed observed unknown".split())
_NUMBERS |= {"would delay", "would refuse", "requests", "share", "compared", "estimate", "rows"}
_NUMBERS |= {"run time", "waits", "line", "5", "25", "50", "75", "95"}


def new_table(*columns: str) -> Table:
    """Return an empty terminal table with these headings; columns of numbers align right."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        right = column in _NUMBERS
        table.add_column(column, justify="right" if right else "left", no_wrap=True)
    return table


def add_row(table: Table, *cells: str | int) -> None:
    """Add a row to a terminal table; markup and control characters in it have no effect."""
    texts = (printable(cell) if isinstance(cell, str) else f"{cell:,}" for cell in cells)
    table.add_row(*map(Text, texts))
