"""`p4warden on`: triggers judge again."""

from __future__ import annotations

import click

from p4warden import home
from p4warden.commands.options import home_option


@click.command()
@home_option
def on(home_folder: str) -> None:
    """Undo `p4warden off`."""
    home.remove(home_folder, home.OFF_FILE)
    click.echo(f"On: the triggers of {home_folder} judge by its policy.")
