from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from p4warden.core.plural import amount
from p4warden.table.line_subject import subject_of
from p4warden.table.trigger_lines import digest_in
from p4warden.table.triggers_table import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.table.merge import Plan

_COLOURS = {"+": "green", "-": "red", "@": "cyan", "~": "yellow"}

full_option = click.option(
    "--full",
    is_flag=True,
    help="Show p4warden's lines whole, instead of what each is about.",
)


def show(plan: Plan, *, full: bool) -> None:
    """Print how present and planned triggers table differ, then a line of counts."""
    console = Console(highlight=False, soft_wrap=True)
    for line in _diff(plan.before, plan.after) if full else difference(plan):
        console.print(Text(line, _COLOURS.get(line[0], "")))
    console.print(counts(plan))


def note(line: str) -> None:
    """Print a note about a deployment, one line, to standard error."""
    click.echo(f"note: {line}", err=True)


def difference(plan: Plan) -> list[str]:
    """Return a unified diff of added, removed and moved lines, then the changed words of others.

    A line of p4warden is shown by its name and what it is about.
    """
    rows = _diff(_about(_updated(plan)), _about(plan.after))
    more = ["(--full shows p4warden's lines whole.)"] if rows else []
    return [*rows, *_changed_words(plan), *more]


def _about(form: str) -> str:
    return "".join(
        f"\t{name_of(row)}: {subject}\n" if (subject := subject_of(row)) else row
        for row in form.splitlines(keepends=True)
    )


def _diff(before: str, after: str) -> list[str]:
    files = ("current triggers table", "planned triggers table")
    rows = difflib.unified_diff(before.splitlines(), after.splitlines(), *files, n=1, lineterm="")
    return [row.expandtabs(4) for row in rows]


def _updated(plan: Plan) -> str:
    """Return the present table with the new text of its updated lines."""
    new = _own_rows(plan, plan.after)
    rows = plan.before.splitlines(keepends=True)
    return "".join(new.get(name_of(row) or "", row) for row in rows)


def _changed_words(plan: Plan) -> Iterator[str]:
    """Yield a line for each updated one; those with another digest alone are counted."""
    old, new = _own_rows(plan, plan.before), _own_rows(plan, plan.after)
    digest, digest_only = digest_in(new.values()), 0
    for name in plan.updated:
        changes = [
            f"{' '.join(left) or '(nothing)'} -> {' '.join(right) or '(nothing)'}"
            for left, right in _word_changes(old.get(name, ""), new.get(name, ""))
        ]
        digest_only += not changes
        if changes:
            yield f"~   {name}: {'; '.join(changes)}"
    if digest_only:
        lines = amount(digest_only, "line")
        yield f"~   {lines} with no other change than the digest of all lines, {digest}"


def _word_changes(old: str, new: str) -> Iterator[tuple[list[str], list[str]]]:
    before, after = (_words(row) for row in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, left, left_end, right, right_end in matcher.get_opcodes():
        if kind != "equal":
            yield before[left:left_end], after[right:right_end]


def _words(row: str) -> list[str]:
    """Split at blanks, without the digest."""
    digest = digest_in([row])
    return (row.replace(f".{digest}%quote%", "%quote%", 1) if digest else row).split()


def _own_rows(plan: Plan, form: str) -> dict[str, str]:
    rows = form.splitlines(keepends=True)
    named = ((name_of(row), row) for row in rows)
    return {name: row for name, row in named if name in plan.updated}


def counts(plan: Plan) -> str:
    """Return in words how many trigger lines are added, updated, moved, removed and kept."""
    moves = f"{len(plan.moved)} moved, " if plan.moved else ""
    return (
        f"Trigger lines: {len(plan.added)} added, {len(plan.updated)} updated, {moves}"
        f"{len(plan.removed)} removed; {amount(plan.kept_count, 'p4warden line')} unchanged, "
        f"{amount(plan.foreign, 'line')} of other tools unchanged."
    )
