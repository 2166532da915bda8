"""`p4warden deploy apply`: write the planned triggers table."""

from __future__ import annotations

import click

from p4warden.commands.deploy import saved
from p4warden.commands.deploy.shown import counts
from p4warden.commands.options import address_options, home_option
from p4warden.errors import P4WardenError
from p4warden.server import triggers
from p4warden.server.connection import Address, connected


@click.command()
@address_options
@home_option
def apply(port: str | None, user: str | None, home_folder: str) -> None:
    """Write what `plan` showed, and read it back.

    Refuses when the table changed since the plan, or when the plan is another server's.
    """
    server, planned = saved.load(home_folder)
    with connected(Address(port, user)) as p4:
        if p4.port != server:
            raise P4WardenError(f"the plan is for {server}, not {p4.port}; plan again")
        if triggers.read_form(p4) != planned.before:
            raise P4WardenError("the triggers table changed since the plan; plan again")
        if planned.changes:
            triggers.write_form(p4, planned.after)
    saved.forget(home_folder)
    click.echo(counts(planned))
    click.echo(f"Written to {server} and read back." if planned.changes else "Nothing to do.")
