from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy import servers, termination_signals
from p4warden.commands.deploy.plan_output import counts
from p4warden.commands.deploy.verify import fire, refuse_unstartable, while_off
from p4warden.commands.options import (
    installation_options,
    message_option,
    named_policy,
    planned_policy,
    running_facts,
    running_policy,
)
from p4warden.commands.policy_switch import switch_to
from p4warden.commands.refresh import facts_into
from p4warden.core.errors import P4WardenError
from p4warden.history.undone import alone_or_undone
from p4warden.home import named_servers, off_mark, trusted_files, usable
from p4warden.policy.summary import modes
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import Deployment, carry_out, settle
from p4warden.server.other_servers import ready_for
from p4warden.table import instances, plan_file

if TYPE_CHECKING:
    import P4

    from p4warden.policy.compiled import Policy
    from p4warden.table.merge import Plan


@click.command()
@installation_options
@message_option
@click.option(
    "--policy",
    "policy_file",
    metavar="POLICY",
    type=named_policy,
    help="Also make this YAML file the running policy, after `plan --policy` with the same file.",
)
@click.option(
    "--verify/--no-verify",
    "verified",
    default=True,
    show_default=True,
    help="Test the triggers after writing them; on failure restore the old table.",
)
@servers.names_options
def apply(  # noqa: PLR0913 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    message: str | None,
    policy_file: str | None,
    *,
    ready_on: tuple[str, ...],
    exclude: tuple[str, ...],
    reason: str,
    verified: bool,
) -> None:
    """Write the planned triggers table, read it back, and test its triggers.

    With --policy the policy is activated and the facts are refreshed first. Refuses if the table
    changed since the plan, or if the plan is for another server or policy. If anything fails,
    policy and table are restored, the table byte for byte.

    Every other server that runs triggers must be named first, as ready or as excluded; without
    that nothing is written. The names are remembered.
    """
    names = servers.names_of(ready_on, exclude, reason)
    usable.refuse_unusable(home)
    server, digest, plan = plan_file.load(home)
    policy = planned_policy(policy_file) if policy_file else None
    if policy:
        plan_file.refuse_another(home, policy.digest)
    else:
        _refuse_unready(home, plan, digest)
    with (
        termination_signals.interrupt_on_termination(),
        alone_or_undone(home, (named_servers.FILE_NAME, plan_file.FILE_NAME)),
        connected(Address(port, user)) as p4,
    ):
        _refuse_changed(p4, server, plan)
        is_held_up = (plan.changes or policy) and servers.has_own_lines(home, plan)
        _name_servers(p4, home, names, (policy_file, digest) if is_held_up else None)

        def switch() -> None:
            if policy and policy_file:
                switch_to(home, policy, policy_file)
                facts_into(home, p4)

        def attempt() -> None:
            _try_out(p4, home, verified=verified)

        line_owner = instances.installed(home).owner
        deployment = Deployment(home, line_owner, plan, "deploy", switch, attempt, message)
        revision = table_form.spec_depot_revision(p4) if plan.changes else None
        backup = carry_out(p4, deployment) if plan.changes or policy else None
        if backup is None:
            off_mark.unmark_uninstalled(home)
            settle(home, plan.after, line_owner)
        # The deployment is complete; `apply` refuses a plan that stays, as the table has changed.
        with contextlib.suppress(trusted_files.HomeError):
            plan_file.forget(home)
    _show_result(policy, plan, server, backup and " and ".join(filter(None, (backup, revision))))


def _name_servers(
    p4: P4.P4, home: str, names: servers.Names, policy: tuple[str | None, str] | None
) -> None:
    """Remember the named servers; refuse unnamed ones if lines of a policy are to be written.

    `policy` is the policy's file and digest; None if nothing is held up.

    Raises:
        P4WardenError: a server that runs the table is not named, or an unknown one is.
    """
    others = servers.read(p4, home, names)
    if policy:
        file, digest = policy
        ready = ready_for(instances.installed(home), digest)
        servers.refuse_unnamed(others, servers.apply_command(home, file, names), ready)
    servers.remember(p4, home, names, others)
    for line in servers.warnings(others):
        click.echo(line, err=True)


def _show_result(policy: Policy | None, plan: Plan, server: str, backup: str | None) -> None:
    if policy:
        click.echo(f"Policy {policy.digest[:12]} is now active; rules: {modes(policy)}")
    if plan.changes:
        click.echo(f"Backup of the old table: {backup}")
    click.echo(counts(plan))
    result = f"Written to {server} and read back." if plan.changes else "Nothing to write."
    click.echo(result)


def _refuse_changed(p4: P4.P4, server: str, plan: Plan) -> None:
    if p4.port != server:
        raise P4WardenError(
            f"the plan is for {server}, not {p4.port}; run p4warden deploy plan again"
        )
    if table_form.read_form(p4) != plan.before:
        raise P4WardenError(
            "the triggers table was changed since the plan; run p4warden deploy plan again"
        )


def _try_out(p4: P4.P4, home: str, *, verified: bool) -> None:
    off_mark.unmark_uninstalled(home)
    reason = while_off(home)
    if verified and reason:
        click.echo(f"Not tested: {reason}")
    elif verified:
        fire(p4, home)


def _refuse_unready(home: str, plan: Plan, digest: str) -> None:
    if not plan.changes:
        refuse_unstartable(home)
    running = running_policy(home).digest
    if running != digest:
        raise P4WardenError(
            f"the plan is for policy {digest[:12]}, but {running[:12]} is active; activate the "
            "planned policy with p4warden activate, or run p4warden deploy plan again"
        )
    running_facts(home)
