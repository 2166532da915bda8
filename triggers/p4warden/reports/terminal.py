from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table as Grid
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.reports.rows import Table

MOST_ROWS = 20
FIRST_CHARACTERS = 20
"""Of a first column, which names the row, that many further columns leave."""
PIPE_COLUMNS = 200
"""Unlike a terminal, a pipe or file has no width."""


def show(
    lines: Iterable[str],
    tables: Iterable[Table],
    remark: str = "--html, --json and --csv show all",
) -> None:
    """Print lines, then tables with rows; `remark` says how to see more than `MOST_ROWS`."""
    # Markup is off, because the library rich would take brackets in logged names, such as `[red]`,
    # for styles.
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_COLUMNS
    for line in lines:
        console.print(line, soft_wrap=True)
    for table in tables:
        if table.rows:
            console.print()
            console.print(Text(table.title, style="bold"), Text(f"- {table.note}", style="dim"))
            console.print(_grid(table))
            hidden_rows = table.omitted_count + max(0, len(table.rows) - MOST_ROWS)
            if hidden_rows:
                console.print(f"  and {hidden_rows:,} more; {remark}")


def screen(lines: Iterable[str], tables: Iterable[Table], console: Console) -> Group:
    """Return lines and tables for a screen of the console's size; further rows are left out."""
    texts = [Text(line) for line in lines]
    left = console.height - len(texts) - 1
    grids = [_grid(table, max(left, 1)) for table in tables if table.rows]
    return Group(*texts, *grids)


def _grid(table: Table, most_rows: int = MOST_ROWS) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="underline")
    for column, name in enumerate(table.columns):
        is_number = column in table.numbers
        longest = max((len(str(row[column])) for row in table.rows[:most_rows]), default=0)
        grid.add_column(
            name,
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=min(longest, FIRST_CHARACTERS) if column == 0 else None,
        )
    for row in table.rows[:most_rows]:
        grid.add_row(*map(str, row))
    return grid
