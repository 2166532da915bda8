"""`p4warden on`: switch p4warden's triggers on again after `p4warden off`."""

from __future__ import annotations

import click

from p4warden.commands.options import home_option, message_option, refuse_other_folder
from p4warden.commands.switch_record import record_switch
from p4warden.home import off_mark, trusted_files


@click.command()
@home_option
@message_option
def on(home: str, message: str | None) -> None:
    """Switch p4warden's triggers on again after `p4warden off`."""
    refuse_other_folder(home)
    trusted_files.remove(home, off_mark.FILE_NAME)
    click.echo(f"On: the triggers of {home} judge by its policy.")
    record_switch(home, "on", message=message)
