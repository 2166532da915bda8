"""`p4warden deploy rollback`: back to a triggers table that was kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy import ending
from p4warden.commands.deploy.shown import full_option, show
from p4warden.commands.options import address_options, home_option
from p4warden.core.errors import P4WardenError
from p4warden.home import active_policy, locks, trusted_files
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import LOCK, carry_out, settle
from p4warden.server.firing import forget_the_last
from p4warden.table import backups, instances
from p4warden.table.merge import Owner, Plan, merge
from p4warden.table.trigger_lines import Installation, owner, wanted
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command()
@address_options
@home_option
@click.argument("backup", required=False)
@click.option("--list", "listed", is_flag=True, help="Only list what was kept.")
@full_option
@click.option("--with-others", is_flag=True, help="Also undo what became of others' lines since.")
def rollback(  # noqa: PLR0913 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    backup: str | None,
    *,
    listed: bool,
    full: bool,
    with_others: bool,
) -> None:
    """Write the triggers table of BACKUP, byte for byte; by default that of the last deploy.

    Refuses when others' lines changed since, for they would be lost.
    """
    named = instances.name_of(home)
    ours = owner(home, named)
    if listed:
        for line in _listed(home, ours):
            click.echo(line)
        return
    kept = backups.load(home, backup)
    with (
        ending.as_an_exception(),
        locks.held(home, LOCK),
        connected(Address(port, user)) as p4,
    ):
        forget_the_last(p4, home)
        now = table_form.read_form(p4)
        if not with_others and _others(now, ours) != _others(kept.form, ours):
            raise P4WardenError(
                f"lines of others are not what they were when {kept.name} was kept, and would be "
                "lost; to undo that as well, add --with-others"
            )
        plan = Plan(now, kept.form)
        show(plan, full=full, counted=False)
        if plan.changes:
            carry_out(p4, home, plan, time.time_ns(), lambda: None)
        else:
            settle(home)
        if any(ours.has(row) for row in entries(kept.form)):
            trusted_files.unmark_uninstalled(home)
        click.echo(f"{p4.port} has the table of {kept.name} again; read back.")
        click.echo(_policy_with(table_form.installation(p4, home, named), kept.form))


def _listed(home: str, ours: Owner) -> Iterator[str]:
    """Yield a line for each table that was kept, and one above them."""
    names = backups.names(home)
    if not names:
        yield f"{home}: nothing was kept"
        return
    yield f"{'BACKUP':38}  BEFORE THE CHANGE OF  LINES  OURS"
    for name in names:
        rows = entries(backups.load(home, name).form)
        number = sum(ours.has(row) for row in rows)
        yield f"{name:38}  {backups.kept_at(name):20}  {len(rows):5}  {number:4}"


def _policy_with(stands: Installation, form: str) -> str:
    """Say of the running policy, which no rollback changes, whether the table goes with it."""
    policy = active_policy.policy_if_any(stands.home)
    if policy is None:
        return f"No policy runs in {stands.home}."
    still = f"The running policy is still {policy.digest[:12]}"
    if not any(stands.owner.has(row) for row in entries(form)):
        return f"{still}; the table has no line of p4warden, so nothing is judged."
    if not merge(form, wanted(policy, stands), stands.owner).changes:
        return f"{still}, and these are its lines."
    return (
        f"{still}, which needs other lines; the policy of that time goes with these:\n"
        f"  p4warden activate OLD.yaml --home {stands.home}"
    )


def _others(form: str, ours: Owner) -> list[str]:
    return [row for row in entries(form) if not ours.has(row)]
