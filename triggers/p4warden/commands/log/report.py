"""`p4warden log report NAME`: questions that administrators ask of a log."""

from __future__ import annotations

import csv
import json
import sys

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from p4warden.commands.log.load import database_option
from p4warden.core import csv_cells
from p4warden.logs.database_reports import Answer, ask, titles

NARROW = 8
"""A column of words may become so narrow."""


@click.command()
@click.argument("name", required=False)
@database_option
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=25, show_default=True)
@click.option("--csv", "form", flag_value="csv", help="Comma-separated values.")
@click.option("--json", "form", flag_value="json", help="One object a line.")
def report(name: str | None, database: str, limit: int, form: str | None) -> None:
    """Answer a question from the database of `p4warden log load`; without NAME, list them.

    Any other question is SQL for any SQLite client; the tables are described in the database
    itself (`.schema`).
    """
    known = titles()
    if name is None:
        _show(Answer(("name", "answers"), list(known.items())))
        return
    if name not in known:
        raise click.UsageError(f"there is no report {name}; there are {', '.join(known)}")
    answer = ask(database, name, limit)
    {"csv": _csv, "json": _json}.get(form or "", _show)(answer)


def _csv(answer: Answer) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    for row in answer.rows:
        writer.writerow(csv_cells.cell(one) if isinstance(one, str) else one for one in row)


def _json(answer: Answer) -> None:
    for row in answer.rows:
        click.echo(json.dumps(dict(zip(answer.columns, row, strict=True))))


def _show(answer: Answer) -> None:
    """Print a table: as wide as the terminal, or for programs a line a row."""
    table, console = _table(answer), Console(highlight=False)
    # What is too wide for a terminal is broken by it, and no column is left out.
    least = console.measure(table).minimum
    console.width = max(console.width, least) if sys.stdout.isatty() else 1_000
    console.print(table)


def _table(answer: Answer) -> Table:
    """Return a table; where it is too wide words are broken, but nothing is left out."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for index, column in enumerate(answer.columns):
        cells = [row[index] for row in answer.rows]
        is_number = any(isinstance(cell, int | float) for cell in cells)
        widest = max((len(_cell(cell)) for cell in cells), default=0)
        table.add_column(
            column.replace("_", " "),
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=widest if is_number else min(widest, NARROW),
        )
    for row in answer.rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    return table


def _cell(cell: object) -> str:
    """Return a value as one line of plain text; names and arguments come from users."""
    if cell is None:
        return ""
    if isinstance(cell, int):
        return f"{cell:,}"
    return "".join(c if c.isprintable() else "?" for c in str(cell))
