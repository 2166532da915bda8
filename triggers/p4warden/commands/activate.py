"""`p4warden activate POLICY`: check, compile, replace the running policy."""

from __future__ import annotations

import click

from p4warden import home
from p4warden.commands.options import checked_policy, home_option
from p4warden.policy import compiled


@click.command()
@click.argument("policy")
@home_option
def activate(policy: str, home_folder: str) -> None:
    """Make POLICY, a YAML file, the one that triggers run.

    A policy with problems changes nothing. A trigger that starts at the same moment reads the old
    policy or the new one, whole.
    """
    new = checked_policy(policy)
    home.make(home_folder)
    home.replace(home_folder, compiled.FILE_NAME, compiled.dumps(new).encode())
    modes = ", ".join(f"{rule.name} ({rule.mode})" for rule in new.rules)
    click.echo(f"{home_folder} runs policy {new.digest[:12]} now: {modes}")
