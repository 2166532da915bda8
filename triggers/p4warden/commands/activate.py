from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from p4warden.commands import policy_switch
from p4warden.commands.options import (
    checked_policy,
    home_option,
    message_option,
    named_policy,
    running_policy,
)
from p4warden.commands.own_account import refuse_if_stopped
from p4warden.health.readiness import lacks_baseline
from p4warden.health.running_policy import NO_CENSUS
from p4warden.history.undone import POLICY_FILES, alone_or_undone
from p4warden.home import active_policy, locks, old_lines, own_program, usable
from p4warden.policy.summary import modes
from p4warden.rehearse import own_account
from p4warden.rehearse.program_answers import UNLESS_TRIGGERS_IO, long_commands_note
from p4warden.table import instances, plan_file, trigger_lines

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy
    from p4warden.table.triggers_table import TriggerLine


@click.command()
@click.argument("policy", required=False, type=named_policy)
@home_option
@message_option
@click.option(
    "--planned",
    is_flag=True,
    help="Refuse a POLICY that is not the one that `deploy plan` showed last.",
)
def activate(policy: str | None, home: str, message: str | None, *, planned: bool) -> None:
    """Check POLICY, a YAML file, and make it the running policy.

    A policy with problems changes nothing. A trigger that starts at the same moment reads either
    the old or the new policy, whole. If POLICY is the running one, only damaged files are written
    again, and the history gets no line. Without POLICY the running policy is written again if the
    programs of this release need it. `p4warden history` lists all policies that were active.
    """
    usable.refuse_other_owner(home)
    before = None
    if policy is None:
        new = running_policy(home)
        is_in_place = active_policy.is_in_place(home, new)
        if not is_in_place:
            usable.refuse_unusable(home)
            active_policy.replace(home, new)
    else:
        # For a planned policy the warnings from the home folder's data about the server are left
        # out, because `deploy plan` has already printed them.
        new = checked_policy(policy, None if planned else home)
        refuse_if_stopped(home, new, policy, [own_account.recorded(home)])
        if planned:
            plan_file.refuse_another(home, new.digest)
        before = active_policy.policy_if_any(home)
        is_in_place = policy_switch.is_in_place(home, new, policy)
        if not is_in_place:
            _switch(home, new, policy, message)
    if lacks_baseline(home, new):
        click.echo(f"warning: {NO_CENSUS} --home {home}", err=True)
    is_same = before is not None and before.digest == new.digest
    word = "already" if is_in_place else "still" if is_same else "now"
    click.echo(f"{home}: policy {new.digest[:12]} is {word} active; rules: {modes(new)}")
    note = long_commands_note(new, UNLESS_TRIGGERS_IO)
    if policy and not planned and note and not is_in_place:
        click.echo(f"note: {note}", err=True)
    if before and _needs_other_lines(home, before, new):
        step = "apply" if plan_file.is_for(home, new.digest) else "plan"
        command = own_program.named_in(f"p4warden deploy {step} --home {shlex.quote(home)}")
        click.echo(f"This policy needs different lines in the triggers table:\n  {command}")


def _switch(home: str, policy: Policy, file: str, message: str | None) -> None:
    usable.refuse_unusable(home)
    with alone_or_undone(home, POLICY_FILES, locks.DEPLOY_WAIT_S):
        policy_switch.switch_and_record(home, policy, file, "activate", message=message)


def _needs_other_lines(home: str, before: Policy, new: Policy) -> bool:
    """Compare with the lines in the table, as far as known, else with those of the last policy."""
    present = old_lines.last_digest(home)
    if present is None:
        return _lines(home, before) != _lines(home, new)
    # Whether the server's triggers.io is 1, only the server tells.
    digests = {
        trigger_lines.digest_in(line.text() for line in _lines(home, new, triggers_io=triggers_io))
        for triggers_io in (False, True)
    }
    return present not in digests


def _lines(home: str, policy: Policy, *, triggers_io: bool = False) -> tuple[TriggerLine, ...]:
    installation = instances.installed(home)._replace(triggers_io=triggers_io)
    return trigger_lines.lines_for(policy, installation)
