"""`p4warden on`: triggers judge again."""

from __future__ import annotations

import click

from p4warden.commands.options import home_option
from p4warden.home import trusted_files


@click.command()
@home_option
def on(home: str) -> None:
    """Undo `p4warden off`."""
    trusted_files.remove(home, trusted_files.OFF_FILE)
    click.echo(f"On: the triggers of {home} judge by its policy.")
