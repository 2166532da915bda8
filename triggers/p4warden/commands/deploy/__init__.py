"""`p4warden deploy ...`: manage p4warden's lines in the server's triggers table."""

from __future__ import annotations

import click

from p4warden.commands.deploy.apply import apply
from p4warden.commands.deploy.plan import plan
from p4warden.commands.deploy.put import put
from p4warden.commands.deploy.rollback import rollback
from p4warden.commands.deploy.uninstall import uninstall
from p4warden.commands.deploy.verify import verify


@click.group(commands=[put, plan, apply, verify, rollback, uninstall])
def deploy() -> None:
    """Put p4warden's lines into the triggers table, or remove them; lines of other tools stay."""
