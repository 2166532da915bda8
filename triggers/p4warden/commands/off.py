"""`p4warden off`: every trigger goes on at once."""

from __future__ import annotations

import click

from p4warden.commands.options import home_option
from p4warden.home import trusted_files


@click.command()
@home_option
def off(home: str) -> None:
    """Make every trigger of this home answer "go on" at once, without touching the table."""
    trusted_files.mark(home, trusted_files.OFF_FILE)
    click.echo(f"Off: no trigger of {home} judges anything. p4warden on undoes it.")
