"""A plan, as an administrator reads it."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.merging import Plan

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MORE = "..."

full_option = click.option(
    "--full",
    is_flag=True,
    help="Show lines whole; a terminal gets them cut to its width, a pipe always whole.",
)


def show(plan: Plan, *, full: bool, counted: bool = True) -> None:
    """Print the difference, and one line that counts it."""
    console = Console(highlight=False, soft_wrap=True)
    width = console.width if sys.stdout.isatty() and not full else None
    for line in difference(plan, width):
        console.print(Text(line, _COLOURS.get(line[0], "")))
    if counted:
        console.print(counts(plan))


def difference(plan: Plan, width: int | None) -> Iterator[str]:
    """Yield the difference, whole or cut to so many columns.

    Ours begin with their name, type and path; what follows is the program with its many options.
    """
    before, after = plan.before.splitlines(), plan.after.splitlines()
    files = ("triggers now", "triggers then")
    rows = [
        row.expandtabs(4) for row in difflib.unified_diff(before, after, *files, n=1, lineterm="")
    ]
    if width is None or all(len(row) <= width for row in rows):
        yield from rows
        return
    yield from (row if len(row) <= width else row[: width - len(_MORE)] + _MORE for row in rows)
    yield "(Long lines are cut; --full shows them whole.)"


def counts(plan: Plan) -> str:
    """Return one line that says how many lines change and how many stay."""
    moved = f"{len(plan.moved)} moved, " if plan.moved else ""
    return (
        f"Trigger lines: {len(plan.added)} added, {len(plan.updated)} updated, {moved}"
        f"{len(plan.removed)} removed, {plan.kept} of ours as they are, "
        f"{plan.foreign} of others untouched."
    )
