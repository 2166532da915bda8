"""`p4warden deploy apply`: write the planned triggers table, and try it out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy import ending
from p4warden.commands.deploy.shown import counts
from p4warden.commands.deploy.verify import fire
from p4warden.commands.options import address_options, home_option, running_facts, running_policy
from p4warden.core.errors import P4WardenError
from p4warden.home import locks, trusted_files
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import LOCK, carry_out, settle
from p4warden.table import plan_file

if TYPE_CHECKING:
    import P4


@click.command()
@address_options
@home_option
@click.option(
    "--verify/--no-verify",
    "verified",
    default=True,
    show_default=True,
    help="Fire the triggers once they are written; on failure the old table comes back.",
)
def apply(port: str | None, user: str | None, home: str, *, verified: bool) -> None:
    """Write what `plan` showed, read it back, and fire the triggers.

    Refuses when the table changed since the plan, or when the plan is for another server or for
    a policy that does not run. If anything fails the old table is put back, byte for byte.
    """
    server, digest, planned = plan_file.load(home)
    _refuse_unready(home, digest)
    with (
        ending.as_an_exception(),
        locks.held(home, LOCK),
        connected(Address(port, user)) as p4,
    ):
        if p4.port != server:
            raise P4WardenError(f"the plan is for {server}, not {p4.port}; plan again")
        if table_form.read_form(p4) != planned.before:
            raise P4WardenError("the triggers table changed since the plan; plan again")
        if planned.changes:
            revision = table_form.in_spec_depot(p4)
            backup = carry_out(
                p4,
                home,
                planned,
                time.time_ns(),
                lambda: _try_out(p4, home, verified=verified),
            )
            kept = f"{home}/{backup}" + (f" and {revision}" if revision else "")
            click.echo(f"The old table is kept: {kept}")
        else:
            trusted_files.unmark_uninstalled(home)
            settle(home)
        plan_file.forget(home)
    click.echo(counts(planned))
    done = f"Written to {server} and read back." if planned.changes else "Nothing to write."
    click.echo(done)


def _try_out(p4: P4.P4, home: str, *, verified: bool) -> None:
    """Let the triggers judge again if they were uninstalled, and fire them."""
    trusted_files.unmark_uninstalled(home)
    if verified:
        fire(p4, home)


def _refuse_unready(home: str, digest: str) -> None:
    """See that what the lines would start has a policy, the planned one, and facts.

    Raises:
        P4WardenError: it has not.
    """
    running = running_policy(home).digest
    if running != digest:
        raise P4WardenError(
            f"the plan is for policy {digest[:12]}, and {running[:12]} runs; "
            "run p4warden activate for that one, or plan again"
        )
    running_facts(home)
