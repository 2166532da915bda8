"""`p4warden check POLICY`: every problem of a policy in one run."""

from __future__ import annotations

import datetime

import click

from p4warden.core.plural import amount
from p4warden.policy.check import check_file


@click.command()
@click.argument("policy")
def check(policy: str) -> int:
    """Check POLICY, a YAML file.

    Prints each problem as file:line:col: path: what is wrong (what would be right), and when there
    is none what the policy holds. Warnings stop nothing. Scripts go by the exit code: 0 when the
    policy is right, 1 when it is not.
    """
    today = datetime.date.today()  # noqa: DTZ011 - exemptions end by the server's local time
    checked = check_file(policy, today)
    for warning in checked.warnings:
        click.echo(warning.line(policy, "warning: "))
    for problem in checked.problems:
        click.echo(problem.line(policy))
    if checked.policy is None:
        return 1
    rules = amount(len(checked.policy.rules), "rule")
    exemptions = amount(len(checked.policy.exemptions), "exemption")
    click.echo(f"{policy}: {rules}, {exemptions}: no mistakes")
    return 0
