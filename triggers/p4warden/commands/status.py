from __future__ import annotations

import click

from p4warden.commands.options import address_options, home_option
from p4warden.commands.state import json_option, look, print_json
from p4warden.health import GOOD


@click.command()
@address_options
@home_option
@json_option
def status(port: str | None, user: str | None, home: str, *, as_json: bool) -> None:
    """Show the state of this installation: programs, policy, facts, server, triggers table."""
    checks = look(port, user, home)
    if as_json:
        print_json(checks)
        return
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = "" if check.state == GOOD else f"{check.state}: "
        click.echo(f"{check.name:{width}}  {mark}{check.message}")
    if any(check.remedy for check in checks):
        click.echo(f"\nNext: p4warden doctor --home {home}")
