"""`p4warden deploy plan`: what `apply` would do to the triggers table."""

from __future__ import annotations

import click

from p4warden import table, trigger_lines
from p4warden.commands.deploy import saved
from p4warden.commands.deploy.shown import show
from p4warden.commands.options import address_options, home_option, running_policy
from p4warden.server import triggers
from p4warden.server.connection import Address, connected


@click.command()
@address_options
@home_option
def plan(port: str | None, user: str | None, home_folder: str) -> int:
    """Show the difference and keep it for `apply`; the server is only read.

    Leaves with 0 when the table is as the running policy needs it, with 1 when it is not.
    """
    policy = running_policy(home_folder)
    with connected(Address(port, user)) as p4:
        installation = trigger_lines.Installation(
            saved.program(), home_folder, triggers.triggers_io(p4)
        )
        form = triggers.read_form(p4)
        planned = table.merge(form, trigger_lines.wanted(policy, installation))
        server = p4.port
    saved.keep(home_folder, server, planned)
    show(planned)
    if planned.changes:
        click.echo(f"Nothing is written yet: p4warden deploy apply --home {home_folder}")
    return 1 if planned.changes else 0
