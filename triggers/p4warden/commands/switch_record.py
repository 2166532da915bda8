"""Record `off` and `on` in the history without ever preventing them."""

from __future__ import annotations

import click

from p4warden.core.errors import P4WardenError
from p4warden.history.record import record


def record_switch(
    home: str, action: str, *, message: str | None, until_s: int | None = None
) -> None:
    """Record a change of the switch; a failure only warns, because the switch has been changed."""
    try:
        record(home, action, message=message, until_s=until_s)
    except P4WardenError as error:
        click.echo(f"warning: this is not in the history: {error}", err=True)
