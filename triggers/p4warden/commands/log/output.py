from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from p4warden.core import csv_cells

if TYPE_CHECKING:
    from p4warden.workbench.logs.database_reports import ReportResult

NARROW = 8
"""Width in characters to which a log report's column of text may shrink on a narrow terminal."""

MOST_CHARACTERS = {"args": 60, "blocker_args": 60, "example": 80}
"""Columns of a log report whose cells are cut in a table, with the maximum length of a cell in
characters.
"""


def print_csv(answer: ReportResult) -> None:
    """Print a log report as CSV: a header row, the rows, then notes on standard error."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    for row in answer.rows:
        writer.writerow(csv_cells.cell(one) if isinstance(one, str) else one for one in row)
    _notes(answer)


def print_json(answer: ReportResult) -> None:
    """Print a log report as one JSON object per row, then its notes on standard error."""
    for row in answer.rows:
        click.echo(json.dumps(dict(zip(answer.columns, row, strict=True))))
    _notes(answer)


def print_table(answer: ReportResult) -> None:
    """Print a log report as a table as wide as the terminal; in a pipe, one line per row."""
    if answer.reason:
        click.echo(answer.reason)
        return
    grid, console = table(answer), Console(highlight=False)
    # Use at least the table's minimum width, so that no column is left out; the terminal wraps.
    least = console.measure(grid).minimum
    console.width = max(console.width, least) if sys.stdout.isatty() else 1_000
    console.print(grid)
    _notes(answer)


def table(answer: ReportResult) -> Table:
    """Build the terminal table of a log report; long words are broken.

    No row or column is left out, but cells in the columns of `MOST_CHARACTERS` are cut.
    """
    grid = Table(box=None, pad_edge=False, header_style="dim")
    for index, column in enumerate(answer.columns):
        cells = [row[index] for row in answer.rows]
        is_number = any(isinstance(cell, int | float) for cell in cells)
        widest = max((len(_cell(column, cell)) for cell in cells), default=0)
        grid.add_column(
            column.replace("_", " "),
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=widest if is_number else min(widest, NARROW),
        )
    for row in answer.rows:
        grid.add_row(*(Text(_cell(*pair)) for pair in zip(answer.columns, row, strict=True)))
    return grid


def _notes(answer: ReportResult) -> None:
    for text in filter(None, (answer.reason, answer.note)):
        click.echo(f"p4warden: {text}", err=True)


def _cell(column: str, cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int) and not column.endswith("pid"):
        return f"{cell:,}"
    text = "".join(c if c.isprintable() else "?" for c in str(cell))
    most = MOST_CHARACTERS.get(column, len(text))
    return text if len(text) <= most else f"{text[:most]}..."
