"""`p4warden deploy rollback`: back to a triggers table that was kept."""

from __future__ import annotations

import time

import click

from p4warden import backups, instances, locks
from p4warden.commands.deploy import ending
from p4warden.commands.deploy.shown import show
from p4warden.commands.options import address_options, home_option
from p4warden.errors import P4WardenError
from p4warden.merging import Owner, Plan
from p4warden.server import triggers
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import LOCK, carry_out, settle
from p4warden.server.firing import forget_the_last
from p4warden.table import entries
from p4warden.trigger_lines import owner


@click.command()
@address_options
@home_option
@click.argument("backup", required=False)
@click.option("--list", "listed", is_flag=True, help="Only list what was kept.")
@click.option("--with-others", is_flag=True, help="Also undo what became of others' lines since.")
def rollback(
    port: str | None,
    user: str | None,
    home_folder: str,
    backup: str | None,
    *,
    listed: bool,
    with_others: bool,
) -> None:
    """Write the triggers table of BACKUP, byte for byte; by default that of the last deploy.

    Refuses when others' lines changed since, for they would be lost.
    """
    if listed:
        click.echo("\n".join(backups.names(home_folder)) or f"{home_folder}: nothing was kept")
        return
    kept = backups.load(home_folder, backup)
    ours = owner(home_folder, instances.name_of(home_folder))
    with (
        ending.as_an_exception(),
        locks.held(home_folder, LOCK),
        connected(Address(port, user)) as p4,
    ):
        forget_the_last(p4, home_folder)
        now = triggers.read_form(p4)
        if not with_others and _others(now, ours) != _others(kept.form, ours):
            raise P4WardenError(
                f"lines of others are not what they were when {kept.name} was kept, and would be "
                "lost; to undo that as well, add --with-others"
            )
        plan = Plan(now, kept.form)
        show(plan, counted=False)
        if plan.changes:
            carry_out(p4, home_folder, plan, time.time_ns(), lambda: None)
        else:
            settle(home_folder)
        click.echo(f"{p4.port} has the table of {kept.name} again; read back.")


def _others(form: str, ours: Owner) -> list[str]:
    return [row for row in entries(form) if not ours.has(row)]
