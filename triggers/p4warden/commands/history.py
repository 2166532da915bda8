from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import home_option, refuse_other_folder, since_option
from p4warden.core.columns import aligned
from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.history import kept_files, local_time, states, trail
from p4warden.history.change import to_document
from p4warden.home import usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden.history.change import Change

_HEAD = ("", "N", "WHEN", "CHANGE", "BY", "POLICY", "LINES", "MESSAGE")


@click.command()
@click.argument("number", metavar="[N]", type=int, required=False)
@home_option
@since_option
@click.option(
    "--policy",
    "as_policy",
    is_flag=True,
    help="Print the policy that was active after change N, as YAML.",
)
@click.option("--table", "as_table", is_flag=True, help="Print the triggers table after change N.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list, for programs.")
def history(
    number: int | None,
    home: str,
    since_s: float,
    *,
    as_policy: bool,
    as_table: bool,
    as_json: bool,
) -> None:
    """List changes of policy, triggers table and switch, or show change N with author and reason.

    `p4warden deploy rollback --to N` restores the state after change N. The files of the newest 30
    states and of the present state are kept; the lines of the list are never deleted.
    """
    refuse_other_folder(home)
    usable.refuse_other_owner(home)
    changes = trail.changes(home)
    if as_policy or as_table:
        if number is None:
            raise click.UsageError("specify the change: p4warden history N --policy")
        click.echo(_file(home, states.known_change(changes, number), as_table=as_table), nl=False)
        return
    selection = changes if number is None else [states.known_change(changes, number)]
    selection = [change for change in selection if change.time_s >= since_s]
    if as_json:
        click.echo(json.dumps([to_document(change) for change in selection], indent=1))
    elif number is not None:
        _show_one(selection[0])
    else:
        _show(selection, states.present_change(changes))


def _file(home: str, change: Change, *, as_table: bool) -> str:
    digest = change.table if as_table else change.policy
    file_kind = "table" if as_table else "policy"
    if digest is None:
        raise P4WardenError(f"no {file_kind} was known after change {change.number}")
    if as_table:
        return kept_files.table(home, digest)
    content = kept_files.yaml(home, digest)
    if content is None:
        raise P4WardenError(f"the YAML of policy {digest[:12]} is not stored")
    return content.decode("utf-8", "surrogateescape")


def _show(changes: Sequence[Change], present: Change | None) -> None:
    if not changes:
        click.echo("No changes recorded.")
        return
    cells = (_cells(change, is_present=change is present) for change in changes)
    click.echo("\n".join(aligned([_HEAD, *cells])))


def _cells(change: Change, *, is_present: bool) -> tuple[str, ...]:
    lines = "" if change.lines is None else str(change.line_count)
    policy = (change.policy or "none")[:12]
    by = printable(change.person.names())
    text = "; ".join(map(printable, change.remarks()))
    mark = ">" if is_present else ""
    when = local_time.time_text(change.time_s)
    return (mark, str(change.number), when, _action(change), by, policy, lines, text)


def _action(change: Change) -> str:
    return f"{change.action} to {change.to}" if change.to else change.action


def _show_one(change: Change) -> None:
    fields = to_document(change) | {"time": local_time.time_text(change.time_s)}
    width = max(map(len, fields))
    for name, value in fields.items():
        click.echo(f"{name.replace('_', ' '):{width}}  {printable(str(value))}")
