"""`p4warden log`: subcommands that load p4d's logs into a database and report on it."""

from __future__ import annotations

import click

from p4warden.commands.log.export import export
from p4warden.commands.log.load import load
from p4warden.commands.log.report import report


@click.group(commands=[export, load, report])
def log() -> None:
    """Load p4d's logs into a database, and report on it."""
