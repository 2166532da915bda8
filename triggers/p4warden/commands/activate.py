"""`p4warden activate [POLICY]`: check, compile, replace the running policy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import checked_policy, home_option, running_policy
from p4warden.health.running_policy import NO_CENSUS, SOURCE_FILE
from p4warden.home import active_policy, publish, trusted_files
from p4warden.judge import baseline
from p4warden.policy import compiled
from p4warden.policy.summary import modes
from p4warden.table import instances, plan_file, trigger_lines

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy
    from p4warden.table.triggers_table import TriggerLine


@click.command()
@click.argument("policy", required=False)
@home_option
@click.option(
    "--planned",
    is_flag=True,
    help="Refuse a POLICY that is not the one that `deploy plan` showed last.",
)
def activate(policy: str | None, home: str, *, planned: bool) -> None:
    """Make POLICY, a YAML file, the one that triggers run.

    A policy with problems changes nothing. A trigger that starts at the same moment reads the old
    policy or the new one, whole. Without POLICY what runs already is compiled again, as an upgrade
    needs it.
    """
    before = None
    if policy is None:
        new = running_policy(home)
        publish.publish_again(home)
    else:
        new = checked_policy(policy)
        if planned:
            plan_file.refuse_another(home, new.digest)
        before = active_policy.policy_if_any(home)
        compile_into(home, new)
        trusted_files.replace(home, SOURCE_FILE, f"{Path(policy).absolute()}\n".encode())
    is_noted = trusted_files.has(home, baseline.FILE_NAME)
    if any(rule.baseline for rule in new.rules) and not is_noted:
        click.echo(f"warning: {NO_CENSUS} --home {home}", err=True)
    click.echo(f"{home} runs policy {new.digest[:12]} now; rules: {modes(new)}")
    if before and _lines(home, before) != _lines(home, new):
        step = "apply" if plan_file.is_for(home, new.digest) else "plan"
        click.echo(
            "The triggers table needs other lines than before:\n"
            f"  p4warden deploy {step} --home {shlex.quote(home)}"
        )


def _lines(home: str, policy: Policy) -> tuple[TriggerLine, ...]:
    return trigger_lines.wanted(policy, instances.installed(home))


def compile_into(home: str, policy: Policy) -> None:
    """Write what triggers read of a policy, making the home folder where it is missing.

    Raises:
        P4WardenError: the folder cannot be written or is not ours alone.
    """
    trusted_files.make(home)
    publish.publish(home, compiled.FILE_NAME, compiled.dumps(policy).encode())
