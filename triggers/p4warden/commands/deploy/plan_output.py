from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from p4warden.core.plural import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.table.merge import Plan

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MORE = "..."

full_option = click.option(
    "--full",
    is_flag=True,
    help="Show whole lines on a terminal too, instead of cutting them to its width.",
)


def show(plan: Plan, *, full: bool) -> None:
    """Print the difference between present and planned triggers table, then a line of counts."""
    console = Console(highlight=False, soft_wrap=True)
    width = console.width if sys.stdout.isatty() and not full else None
    for line in difference(plan, width):
        console.print(Text(line, _COLOURS.get(line[0], "")))
    console.print(counts(plan))


def note(line: str) -> None:
    """Print a note about a deployment, one line, to standard error."""
    click.echo(f"note: {line}", err=True)


def difference(plan: Plan, width: int | None) -> Iterator[str]:
    """Yield the lines of a unified diff of a triggers table, cut to `width` columns unless None.

    If lines were cut, a note about that is the last line.
    """
    before, after = plan.before.splitlines(), plan.after.splitlines()
    files = ("current triggers table", "planned triggers table")
    rows = [
        row.expandtabs(4) for row in difflib.unified_diff(before, after, *files, n=1, lineterm="")
    ]
    if width is None or all(len(row) <= width for row in rows):
        yield from rows
        return
    yield from (_cut(row, width, _differs_at(row, rows)) for row in rows)
    yield "(Long lines are cut; --full shows them whole.)"


def _differs_at(row: str, rows: list[str]) -> int:
    for other in rows:
        if {row[0], other[0]} == {"-", "+"} and _name(row) == _name(other):
            pairs = enumerate(zip(row[1:], other[1:], strict=False), start=1)
            return next((at for at, (one, its) in pairs if one != its), 0)
    return 0


def _name(row: str) -> list[str]:
    return row[1:].split()[:1]


def _cut(row: str, width: int, differs_at: int) -> str:
    if len(row) <= width:
        return row
    start, half = row[: width - len(_MORE)] + _MORE, width // 2
    if differs_at < width - 2 * len(_MORE):
        return start
    seen_from = differs_at - half // 2
    rest = row[seen_from : seen_from + half - 2 * len(_MORE)]
    return f"{row[: width - half]}{_MORE}{rest}{_MORE}"


def counts(plan: Plan) -> str:
    """Return in words how many trigger lines are added, updated, moved, removed and kept."""
    moves = f"{len(plan.moved)} moved, " if plan.moved else ""
    return (
        f"Trigger lines: {len(plan.added)} added, {len(plan.updated)} updated, {moves}"
        f"{len(plan.removed)} removed; {amount(plan.kept_count, 'p4warden line')} unchanged, "
        f"{amount(plan.foreign, 'line')} of other tools unchanged."
    )
