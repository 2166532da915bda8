"""A plan, as an administrator reads it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from p4warden.merging import Plan

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show(plan: Plan, *, counted: bool = True) -> None:
    """Print the difference, and one line that counts it."""
    console = Console(highlight=False, soft_wrap=True)
    before, after = plan.before.splitlines(), plan.after.splitlines()
    for line in difflib.unified_diff(
        before, after, "triggers now", "triggers then", "", "", 1, ""
    ):
        console.print(Text(line.expandtabs(4), _COLOURS.get(line[0], "")))
    if counted:
        console.print(counts(plan))


def counts(plan: Plan) -> str:
    """Return one line that says how many lines change and how many stay."""
    moved = f"{len(plan.moved)} moved, " if plan.moved else ""
    return (
        f"Trigger lines: {len(plan.added)} added, {len(plan.updated)} updated, {moved}"
        f"{len(plan.removed)} removed, {plan.kept} of ours as they are, "
        f"{plan.foreign} of others untouched."
    )
