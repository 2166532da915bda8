from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy import termination_signals
from p4warden.commands.deploy.plan_output import note
from p4warden.commands.options import installation_options, running_facts, running_policy
from p4warden.core.errors import P4WardenError
from p4warden.health import line_answers, trigger_programs
from p4warden.history import local_time
from p4warden.history.record import record
from p4warden.home import off_mark
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import cut_off, settle, table_of
from p4warden.server.firing import Trial
from p4warden.server.gather_facts import require_super
from p4warden.server.table_form import read_form
from p4warden.table import instances
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    import P4

_HEAD = "Tested with a temporary client, with all rules enforced:"


@click.command()
@installation_options
def verify(port: str | None, user: str | None, home: str) -> None:
    """Test the triggers with a temporary client, for which every rule is enforced.

    The client is saved, runs a command and is deleted in any case. No other
    user is judged differently in the meantime.
    """
    refuse_unstartable(home)
    reason = while_off(home)
    if reason:
        raise P4WardenError(reason)
    if unjudged := line_answers.unjudged(home):
        raise P4WardenError(trigger_programs.ways_out(unjudged, home))
    with termination_signals.interrupt_on_termination(), connected(Address(port, user)) as p4:
        require_super(p4)
        fire(p4, home)
        _note_cut_off(p4, home)
        settle(home, read_form(p4), instances.installed(home).owner)


def refuse_unstartable(home: str) -> None:
    """Raise P4WardenError with the ways out if p4d cannot start the present lines' programs."""
    failure = trigger_programs.start_shown(home).failure
    if failure:
        raise P4WardenError(trigger_programs.ways_out(failure, home))


def _note_cut_off(p4: P4.P4, home: str) -> None:
    journal = cut_off(home)
    if journal is None:
        return
    form = read_form(p4)
    if entries(form) == entries(journal.after):
        table = table_of(home, form, instances.installed(home).owner)
        record(
            home,
            "deploy",
            table=table,
            p4user=p4.user,
            found_table=journal.table_digest,
            server=p4.port,
            note="cut off, then verified",
        )


def while_off(home: str) -> str | None:
    """Return a message that triggers cannot be tested while p4warden is off; None if on."""
    mark = off_mark.read(home)
    if mark is None or not mark.holds(time.time_ns()):
        return None
    end_text = f" until {local_time.time_text(mark.end_ns / 1e9)}" if mark.has_end else ""
    return (
        f"p4warden is switched off{end_text}, so its triggers allow everything: run p4warden on "
        f"--home {home}, then p4warden deploy verify --home {home}"
    )


def fire(p4: P4.P4, home: str) -> None:
    """Fire p4warden's triggers on the server and print the results.

    Raises:
        P4WardenError: a trigger does not act as the policy says, or the policy or the facts are
            missing.
    """
    policy, facts = running_policy(home), running_facts(home)
    problems = []
    trial = Trial(p4, home, policy, facts, note)
    for number, trial_result in enumerate(trial.fire(int(time.time()))):
        if number == 0:
            click.echo(_HEAD)
        if trial_result.problem:
            problems.append(f"{trial_result.behaviour}: NO: {trial_result.problem}")
        else:
            result = f"not tested: {trial_result.not_tested}" if trial_result.not_tested else "yes"
            click.echo(f"{trial_result.behaviour}: {result}")
    if problems:
        raise P4WardenError("; ".join(problems))
