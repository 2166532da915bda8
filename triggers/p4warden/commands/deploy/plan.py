"""`p4warden deploy plan`: what `apply` would do to the triggers table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from p4warden import gate, trigger_lines
from p4warden.commands.deploy import saved
from p4warden.commands.deploy.shown import show
from p4warden.commands.options import address_options, home_option, running_policy
from p4warden.errors import P4WardenError
from p4warden.server.connection import Address, connected
from p4warden.server.triggers import plan_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy


@click.command()
@address_options
@home_option
def plan(port: str | None, user: str | None, home_folder: str) -> int:
    """Show the difference and keep it for `apply`; the server is only read.

    Leaves with 0 when the table is as the running policy needs it, with 1 when it is not, and with
    2 when that could not be found out.
    """
    try:
        policy = running_policy(home_folder)
        saved.forget(home_folder)
        with connected(Address(port, user)) as p4:
            place, planned = plan_for(p4, policy, home_folder)
            saved.keep(home_folder, p4.port, planned)
    except P4WardenError as error:
        error.exit_code = 2
        raise
    show(planned)
    for note in _notes(policy, place):
        click.echo(f"Note: {note}")
    if planned.changes:
        click.echo(f"Nothing is written yet: p4warden deploy apply --home {home_folder}")
    return 1 if planned.changes else 0


def _notes(policy: Policy, place: trigger_lines.Installation) -> Iterator[str]:
    """Yield what an administrator should know before these lines are written."""
    if place.gate is None:
        yield (
            f"{gate.NAME} is not installed here, so a form trigger starts Python itself: p4d "
            "takes its death by a signal for success and waits for ever should it hang."
        )
        commands = trigger_lines.watched_commands(policy)
        if commands:
            yield f"the rules about {', '.join(commands)} need the gate and are left out."
    elif trigger_lines.passes_arguments(policy):
        yield (
            "a rule counts by args or shape, so the command line passes %args%; p4d cannot start "
            "a trigger with an argument of over 128 KiB and refuses such a command itself."
        )
