"""`p4warden deploy plan`: what `apply` would do to the triggers table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden import gate, instances
from p4warden.commands.deploy import saved
from p4warden.commands.deploy.notes import notes
from p4warden.commands.deploy.shown import show
from p4warden.commands.options import address_options, home_option, running_facts, running_policy
from p4warden.errors import P4WardenError
from p4warden.merging import WHERE, Place, merge
from p4warden.server import triggers
from p4warden.server.connection import Address, connected
from p4warden.table import TableError
from p4warden.trigger_lines import Installation, wanted

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


def _place(_context: click.Context, _option: click.Parameter, text: str | None) -> Place | None:
    where, _, name = (text or "").strip().partition(" ")
    if not text:
        return None
    if where not in WHERE or (where in ("before", "after")) != bool(name.strip()):
        raise click.BadParameter("say first, last, 'before NAME' or 'after NAME'")
    return Place(where, name.strip())


@click.command()
@address_options
@home_option
@click.option(
    "--place",
    callback=_place,
    metavar="WHERE",
    help="Move our lines: first, last, 'before NAME' or 'after NAME' of another's line.",
)
@click.option(
    "--instance",
    "name",
    metavar="NAME",
    help="Name this installation, to tell it from another one on the same server.",
)
@click.option(
    "--offline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Take FILE, what p4 triggers -o printed, and print the table to paste; ask no server.",
)
def plan(
    port: str | None,
    user: str | None,
    home_folder: str,
    place: Place | None,
    name: str | None,
    offline: str | None,
) -> int:
    """Show the difference and keep it for `apply`; the server is only read.

    Leaves with 0 when the table is as the running policy needs it, with 1 when it is not, and with
    2 when that could not be found out: in cron that is an alarm for a table that drifted.
    """
    try:
        policy = running_policy(home_folder)
        running_facts(home_folder)
        if name:
            instances.give(home_folder, name)
        if offline:
            return _offline(policy, home_folder, offline, place)
        return _online(policy, home_folder, Address(port, user), place)
    except P4WardenError as error:
        error.exit_code = 2
        raise


def _online(policy: Policy, home_folder: str, address: Address, place: Place | None) -> int:
    saved.forget(home_folder)
    with connected(address) as p4:
        stands = triggers.installation(p4, home_folder, instances.name_of(home_folder))
        planned = triggers.plan_for(p4, policy, stands, place)
        server = triggers.server_of(p4)
        saved.keep(home_folder, p4.port, planned)
    click.echo(f"Server: {server.port}, {server.version or 'of an unknown version'}")
    show(planned)
    for note in notes(policy, stands, server, planned):
        click.echo(f"Note: {note}")
    if planned.changes:
        click.echo(f"Nothing is written yet: p4warden deploy apply --home {home_folder}")
    return 1 if planned.changes else 0


def _offline(policy: Policy, home_folder: str, file: str, place: Place | None) -> int:
    """Print the table that a file's table would become; to be pasted into p4 triggers."""
    stands = Installation(
        gate.form_program(), gate.find(), home_folder, instance=instances.name_of(home_folder)
    )
    try:
        planned = merge(Path(file).read_text("utf-8"), wanted(policy, stands), stands.owner, place)
    except (OSError, ValueError, TableError) as error:
        raise P4WardenError(f"{file}: {error}") from error
    click.echo(planned.after, nl=False)
    return 1 if planned.changes else 0
