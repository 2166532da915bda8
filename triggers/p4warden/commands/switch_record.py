"""Record `p4warden off` and `p4warden on` in the history; a failure never prevents them."""

from __future__ import annotations

import click

from p4warden.core.errors import P4WardenError
from p4warden.history.record import record
from p4warden.home import leftovers
from p4warden.home.account import owner_of

_WAIT_S = 1.0


def record_switch(
    home: str, action: str, *, message: str | None, until_s: int | None = None
) -> None:
    """Record `off` or `on` in the history; a failure only prints a warning."""
    try:
        with owner_of(home).acting():
            leftovers.remove(home)
            record(home, action, message=message, until_s=until_s, wait_s=_WAIT_S)
    except P4WardenError as error:
        click.echo(f"warning: not recorded in the history: {error}", err=True)
