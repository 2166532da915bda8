"""Record `p4warden off` and `p4warden on` in the history; a failure never prevents them."""

from __future__ import annotations

import click

from p4warden.core.errors import P4WardenError
from p4warden.history.record import record


def record_switch(
    home: str, action: str, *, message: str | None, until_s: int | None = None
) -> None:
    """Record `off` or `on` in the history; a failure only prints a warning."""
    try:
        record(home, action, message=message, until_s=until_s)
    except P4WardenError as error:
        click.echo(f"warning: not recorded in the history: {error}", err=True)
