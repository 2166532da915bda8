from __future__ import annotations

import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import installation_options
from p4warden.commands.status import check_results, json_option, print_json
from p4warden.health import BAD, GOOD
from p4warden.health.steps import commands

if TYPE_CHECKING:
    from p4warden.health import Check


@click.command()
@installation_options
@json_option
def doctor(port: str | None, user: str | None, home: str, *, as_json: bool) -> int:
    """List the problems of this installation, the worst first, each with its remedy.

    Exit code: 1 if there is a problem, 0 if there are at most warnings.
    """
    checks = check_results(port, user, home)
    bad_checks = [check for check in checks if check.state != GOOD]
    if as_json:
        print_json(bad_checks)
    else:
        _print(bad_checks)
    if not bad_checks and not as_json:
        click.echo(f"All {len(checks)} checks are good.")
    return int(any(check.state == BAD for check in checks))


def _print(bad_checks: list[Check]) -> None:
    """Print a remedy of several results of one check once, after the last of them.

    A remedy of which all commands stand above is left out.
    """
    shown = ""
    for check, following in zip_longest(bad_checks, bad_checks[1:]):
        click.echo(f"{check.state}: {check.name}: {check.message}")
        if not check.remedy or _is_same_advice(check, following):
            continue
        if not all(command in shown for command in commands(check.remedy)):
            click.echo(textwrap.indent(check.remedy, "    "))
            shown += check.remedy


def _is_same_advice(one: Check, other: Check | None) -> bool:
    return other is not None and (one.name, one.remedy) == (other.name, other.remedy)
