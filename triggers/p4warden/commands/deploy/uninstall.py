"""`p4warden deploy uninstall`: p4warden's lines out of the triggers table."""

from __future__ import annotations

import click

from p4warden import table
from p4warden.commands.deploy.shown import counts
from p4warden.commands.options import address_options
from p4warden.server import triggers
from p4warden.server.connection import Address, connected


@click.command()
@address_options
def uninstall(port: str | None, user: str | None) -> None:
    """Take out every line of p4warden's, read the table back, and leave all else as it is."""
    with connected(Address(port, user)) as p4:
        planned = table.merge(triggers.read_form(p4), ())
        if planned.changes:
            triggers.write_form(p4, planned.after)
        server = p4.port
    click.echo(counts(planned))
    click.echo(f"{server} has no trigger line of p4warden's; read back.")
