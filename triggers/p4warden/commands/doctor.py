from __future__ import annotations

import click

from p4warden.commands.options import installation_options
from p4warden.commands.status import check_results, json_option, print_json
from p4warden.health import BAD, GOOD


@click.command()
@installation_options
@json_option
def doctor(port: str | None, user: str | None, home: str, *, as_json: bool) -> int:
    """List the problems of this installation, each with its remedy.

    Exit code: 1 if there is a problem, 0 if there are at most warnings.
    """
    checks = check_results(port, user, home)
    bad_checks = [check for check in checks if check.state != GOOD]
    if as_json:
        print_json(bad_checks)
    for check in () if as_json else bad_checks:
        click.echo(f"{check.state}: {check.name}: {check.message}")
        if check.remedy:
            click.echo(f"    {check.remedy}")
    if not bad_checks and not as_json:
        click.echo(f"All {len(checks)} checks are good.")
    return int(any(check.state == BAD for check in checks))
