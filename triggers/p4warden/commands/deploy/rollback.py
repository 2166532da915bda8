from __future__ import annotations

import datetime
import shlex
from typing import TYPE_CHECKING, NamedTuple

import click

from p4warden.commands.deploy import consent, servers, termination_signals
from p4warden.commands.deploy.plan_output import full_option, note, show
from p4warden.commands.options import installation_options, message_option
from p4warden.core.errors import P4WardenError
from p4warden.health.readiness import lacks_baseline
from p4warden.health.running_policy import NO_CENSUS
from p4warden.history import kept_files, local_time, states, trail
from p4warden.history.undone import alone_or_undone
from p4warden.home import active_policy, named_servers, off_mark, usable
from p4warden.policy import compiled
from p4warden.policy.check import check_file
from p4warden.policy.differences import between
from p4warden.policy.summary import modes
from p4warden.rehearse.program_answers import UNLESS_TRIGGERS_IO, long_commands_note
from p4warden.server import other_servers, table_form
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import Deployment, carry_out, cut_off, settle
from p4warden.server.firing import forget_the_last
from p4warden.table import instances
from p4warden.table.restored_lines import restore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import P4

    from p4warden.history.change import Change
    from p4warden.policy.compiled import Policy
    from p4warden.server.other_servers import OtherServers
    from p4warden.table.merge import Plan


class Target(NamedTuple):
    """The earlier policy and triggers table that a rollback restores.

    Attributes:
        change: the change in the history that led to this state; None if the rollback undoes an
            interrupted deployment and no change led to the state before it.
        policy: the earlier policy; None to keep the running policy.
        form: the form of the earlier triggers table; None if p4warden has read no table since.
        running_policy: the policy that runs now; None if none runs.
    """

    change: Change | None
    policy: Policy | None
    form: str | None
    running_policy: Policy | None


@click.command()
@installation_options
@message_option
@click.option("--to", "number", type=int, metavar="N", help="Restore the state after this change.")
@servers.names_options
@consent.yes_option
@full_option
def rollback(  # noqa: PLR0913, PLR0917 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    message: str | None,
    number: int | None,
    ready_on: tuple[str, ...],
    exclude: tuple[str, ...],
    reason: str,
    *,
    yes: bool,
    full: bool,
) -> None:
    """Restore the state before the last change of policy or table, or the state after change N.

    Policy and trigger lines are restored together, after the plan was shown and confirmed; lines
    of other tools stay unchanged. A second rollback goes further back. `p4warden history` lists
    the changes. A line that the table lacks waits until each other server is named, as with
    `deploy apply`. The old policy is checked by this release first; if anything fails, policy and
    table stay as they are.
    """
    names = servers.names_of(ready_on, exclude, reason)
    usable.refuse_unusable(home)
    target = _target(home, number)
    with termination_signals.interrupt_on_termination(), connected(Address(port, user)) as p4:
        plan = _planned(p4, home, target)
        for line in _lines(home, target):
            click.echo(line)
        show(plan, full=full)
        if not _is_needed(target, plan):
            click.echo(f"Nothing to do: {_parts(target)} already in this state.")
            settle(home, plan.after, instances.installed(home).owner)
            return
        if servers.has_new_lines(home, plan):
            _refuse_unnamed(servers.read(p4, home, names), home, target, number, names)
        for line in _server_warnings(p4, home, plan, names):
            click.echo(line)
        if not yes and not consent.is_given(f"Apply these changes to {p4.port} and {home}?"):
            return
        with alone_or_undone(home, (named_servers.FILE_NAME,)):
            if names.ready or names.excluded:
                servers.remember(p4, home, names, servers.read(p4, home, names))
            _carry_out(p4, home, target, plan, message)
    click.echo("Done: written, read back and recorded.")


def _refuse_unnamed(
    others: OtherServers, home: str, target: Target, number: int | None, names: servers.Names
) -> None:
    to = [] if number is None else ["--to", str(number)]
    command = ["p4warden", "deploy", "rollback", *to, "--home", home, *names.words()]
    digest = _digest(target.policy) or _digest(target.running_policy) or ""
    ready = other_servers.ready_for(instances.installed(home), digest)
    servers.refuse_unnamed(others, shlex.join(command), ready)


def _server_warnings(p4: P4.P4, home: str, plan: Plan, names: servers.Names) -> list[str]:
    if not servers.has_own_lines(home, plan):
        return []
    try:
        return [*servers.warnings(servers.read(p4, home, names))]
    except P4WardenError as error:
        return [f"Warning: the other servers are unknown: {error}"]


def _target(home: str, number: int | None) -> Target:
    running = active_policy.policy_if_any(home)
    changes = trail.changes(home)
    journal = cut_off(home)
    if journal and number is None:
        change = states.present_change(changes)
        policy = _policy(home, change, running) if change else None
        return Target(change, policy, journal.before, running)
    change = states.before(changes) if number is None else states.numbered_change(changes, number)
    if change.policy is None:
        raise P4WardenError(
            f"no policy was active after change {change.number}; p4warden deploy uninstall "
            "removes the trigger lines"
        )
    digest = change.table or _found_table(changes, change)
    form = kept_files.table(home, digest) if digest else None
    return Target(change, _policy(home, change, running), form, running)


def _found_table(changes: Sequence[Change], state: Change) -> str | None:
    """Return the table of a state in which p4warden had not read it: the next deploy found it."""
    later = (change for change in changes if change.number > state.number)
    return next((change.found_table for change in later if change.found_table), None)


def _policy(home: str, change: Change, running: Policy | None) -> Policy | None:
    """Return the policy of a state: the running one, or the one stored in the history.

    That one is compiled from its YAML by this release and checked by the gate; as it was compiled
    at that time, if the YAML was not stored. In a state without lines no trigger reads it, so that
    the gate is not needed.
    """
    digest = change.policy
    if digest is None:
        return None
    if digest == _digest(running):
        return running
    if not change.line_count:
        return _compiled_policy(home, digest)
    if kept_files.yaml(home, digest) is None:
        policy = _compiled_policy(home, digest)
        active_policy.refuse_unreadable(policy)
        return policy
    path = f"{kept_files.folder(home)}/{kept_files.yaml_name(digest)}"
    check_result = check_file(path, datetime.date.today())  # noqa: DTZ011 - exemptions end locally
    if check_result.policy is None:
        problems = "\n".join(problem.line(path) for problem in check_result.problems)
        raise P4WardenError(
            f"{problems}\np4warden: this release does not accept the policy active at that time; "
            "nothing was changed. Correct a copy of that file and deploy it, or return to the "
            "release that used it"
        )
    active_policy.refuse_unreadable(check_result.policy)
    return check_result.policy


def _compiled_policy(home: str, digest: str) -> Policy:
    content = kept_files.compiled(home, digest)
    if content is None:
        raise P4WardenError(f"policy {digest[:12]} is no longer stored; choose a later change")
    try:
        return active_policy.of_file(content)
    except compiled.CompiledError as error:
        raise P4WardenError(
            f"the stored policy {digest[:12]} cannot be used: {error}; nothing was changed. "
            "Choose a later change from p4warden history, or return to the release that used it"
        ) from error


def _planned(p4: P4.P4, home: str, target: Target) -> Plan:
    """Plan a rollback's triggers table: the present table with p4warden's earlier lines.

    If no table was read since, p4warden wrote none: the present one stays.
    """
    present = table_form.read_form(p4)
    return restore(present, target.form or present, instances.installed(home).owner)


def _lines(home: str, target: Target) -> Iterator[str]:
    change, policy, running = target.change, target.policy, target.running_policy
    if change:
        time_text = local_time.time_text(change.time_s)
        yield (
            f"Plan: return to the state after change {change.number} "
            f"({change.action}, {time_text})."
        )
    else:
        yield "Plan: return to the triggers table from before the interrupted deploy."
    if policy is None or (running and running.digest == policy.digest):
        yield "The policy does not change."
        return
    yield f"Policy: {policy.digest[:12]}; rules: {modes(policy)}"
    if text := long_commands_note(policy, UNLESS_TRIGGERS_IO):
        yield f"Note: {text}."
    if lacks_baseline(home, policy):
        yield f"Warning: {NO_CENSUS} --home {home}."
    if running:
        yield f"Changes from the active policy {running.digest[:12]}:"
        yield from (f"  {difference.line()}" for difference in between(running, policy))


def _is_needed(target: Target, plan: Plan) -> bool:
    is_other_policy = target.policy and _digest(target.policy) != _digest(target.running_policy)
    return bool(plan.changes or is_other_policy)


def _parts(target: Target) -> str:
    if target.policy is None:
        return "the triggers table is"
    return "the policy and the triggers table are"


def _digest(policy: Policy | None) -> str | None:
    return policy.digest if policy else None


def _carry_out(p4: P4.P4, home: str, target: Target, plan: Plan, message: str | None) -> None:
    forget_the_last(p4, home, note)
    table_form.refuse_changed(p4, plan)
    if _digest(active_policy.policy_if_any(home)) != _digest(target.running_policy):
        raise P4WardenError("another policy was activated meanwhile; nothing was done, try again")
    line_owner = instances.installed(home).owner

    def switch() -> None:
        if target.policy and _digest(target.policy) != _digest(target.running_policy):
            has_lines = bool(line_owner.rows_in(plan.after))
            active_policy.replace(home, target.policy, is_judged_by=has_lines)

    def attempt() -> None:
        if line_owner.rows_in(plan.after):
            off_mark.unmark_uninstalled(home)

    number = target.change.number if target.change else None
    carry_out(
        p4,
        Deployment(home, line_owner, plan, "rollback", switch, attempt, message, number),
    )
