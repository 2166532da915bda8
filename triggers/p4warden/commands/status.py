from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from p4warden.asking import gate_program
from p4warden.commands.options import installation_options
from p4warden.core.errors import P4WardenError
from p4warden.health import (
    BAD,
    GOOD,
    WORST_FIRST,
    CheckedInstallation,
    all_checks,
    asking_account,
    declared_answer,
    server_reachable,
    trigger_programs,
)
from p4warden.home import own_program
from p4warden.server.connection import Address, connected

if TYPE_CHECKING:
    from p4warden.health import Check

_URGENT = (
    trigger_programs.NAME,
    declared_answer.NAME,
    server_reachable.NAME,
    asking_account.NAME,
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON list, for programs.")


@click.command()
@installation_options
@json_option
def status(port: str | None, user: str | None, home: str, *, as_json: bool) -> int:
    """Show the state of this installation, the worst first: programs, policy, server, table.

    Exit code: 1 if a part is bad, as p4warden doctor; 0 if there are at most warnings.
    """
    checks = check_results(port, user, home)
    if as_json:
        print_json(checks)
    else:
        _print(checks, home)
    return int(any(check.state == BAD for check in checks))


def _print(checks: list[Check], home: str) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = "" if check.state == GOOD else f"{check.state}: "
        click.echo(f"{check.name:{width}}  {mark}{check.message}")
    urgent = [one.remedy for one in checks if one.name in _URGENT and one.state == BAD]
    for remedy in dict.fromkeys(filter(None, urgent)):
        click.echo(f"\nWithout delay: {remedy}")
    if any(check.remedy for check in checks):
        click.echo(own_program.named_in(f"\nNext: p4warden doctor --home {home}"))


def check_results(port: str | None, user: str | None, home: str) -> list[Check]:
    """Return the results of all checks of an installation, the worst first.

    If the server cannot be reached, the checks that need it report that.
    """
    checks = [_pasteable(check) for check in _results(port, user, home)]
    return sorted(checks, key=lambda check: WORST_FIRST.index(check.state))


def _results(port: str | None, user: str | None, home: str) -> list[Check]:
    place = CheckedInstallation(home, time.time_ns(), gate_problem=gate_program.problem())
    try:
        with connected(Address(port, user)) as p4:
            return list(all_checks.run(place._replace(p4=p4)))
    except P4WardenError as error:
        return list(all_checks.run(place._replace(unconnected=error)))


def _pasteable(check: Check) -> Check:
    remedy = check.remedy and own_program.named_in(check.remedy)
    return check._replace(message=own_program.named_in(check.message), remedy=remedy)


def print_json(checks: list[Check]) -> None:
    """Print the results of an installation's checks as a JSON list of objects."""
    click.echo(json.dumps([check._asdict() for check in checks], indent=1))
