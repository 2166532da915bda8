"""`p4warden deploy plan`: what `apply` would do to the triggers table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy.activation import Activation, activation
from p4warden.commands.deploy.notes import notes
from p4warden.commands.deploy.shown import full_option, show
from p4warden.commands.options import (
    address_options,
    checked_policy,
    home_option,
    running_facts,
    running_policy,
)
from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files
from p4warden.policy.problems import render
from p4warden.rehearse import known_surroundings
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden.table import instances, plan_file
from p4warden.table.merge import WHERE, Place, merge
from p4warden.table.trigger_lines import wanted
from p4warden.table.triggers_table import TableError

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
@full_option
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
    "--policy",
    "policy_file",
    metavar="POLICY",
    help="Plan for this YAML file, before it is activated, and say what activating it changes.",
)
@click.option("--no-next", is_flag=True, help="Leave out the commands to run next.")
@click.option(
    "--offline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Take FILE, what p4 triggers -o printed, and print the table to paste; ask no server, "
    "keep no plan.",
)
def plan(  # noqa: PLR0913 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    *,
    place: Place | None,
    name: str | None,
    policy_file: str | None,
    offline: str | None,
    full: bool,
    no_next: bool,
) -> int:
    """Show the difference and keep it for `apply`; the server is only read.

    Leaves with 0 when the table is as the running policy needs it, with 1 when it is not, and with
    2 when that could not be found out: in cron that is an alarm for a table that drifted. With
    --policy it leaves with 1 also when that policy does not run yet.
    """
    try:
        policy = checked_policy(policy_file, home) if policy_file else running_policy(home)
        if name:
            trusted_files.make(home)
            instances.give(home, name)
        if offline:
            return _offline(policy, home, offline, place)
        if not policy_file:
            running_facts(home)
        to_run = activation(home, policy_file, policy)
        return _online(to_run, Address(port, user), place, full=full, told=not no_next)
    except P4WardenError as error:
        error.exit_code = 2
        raise


def _online(
    to_run: Activation, address: Address, place: Place | None, *, full: bool, told: bool
) -> int:
    home, policy = to_run.home, to_run.policy
    plan_file.forget(home)
    with connected(address) as p4:
        stands = table_form.installation(p4, home, instances.name_of(home))
        planned = table_form.plan_for(p4, policy, stands, place)
        server = table_form.server_of(p4)
        trusted_files.make(home)
        plan_file.keep(home, plan_file.KeptPlan(p4.port, policy.digest, planned))
    for line in to_run.lines() if to_run.needed else ():
        click.echo(line)
    click.echo(f"Server: {server.port}, {server.version or 'of an unknown version'}")
    show(planned, full=full)
    doubts = (
        () if to_run.file else known_surroundings.doubts(policy, known_surroundings.of_home(home))
    )
    for doubt in doubts:
        click.echo(f"Warning: {render(doubt.path)}: {doubt.text}")
    for note in notes(home, policy, stands, server, planned):
        click.echo(f"Note: {note}")
    if not (to_run.needed or planned.changes):
        return 0
    if told:
        click.echo(f"Nothing is changed yet; next:\n  {to_run.command}")
    return 1


def _offline(policy: Policy, home: str, file: str, place: Place | None) -> int:
    """Print the table that a file's table would become; to be pasted into p4 triggers."""
    stands = instances.installed(home)
    try:
        planned = merge(Path(file).read_text("utf-8"), wanted(policy, stands), stands.owner, place)
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, TableError) as error:
        raise P4WardenError(f"{file}: {error}") from error
    click.echo(planned.after, nl=False)
    return 1 if planned.changes else 0
