from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from p4warden.asking.gate_program import GateGoneError, refuse_gone
from p4warden.commands.deploy import consequences, servers
from p4warden.commands.deploy.activation import Activation
from p4warden.commands.deploy.notes import notes
from p4warden.commands.deploy.plan_output import full_option, show
from p4warden.commands.options import (
    checked_policy,
    installation_options,
    named_policy,
    running_facts,
    running_policy,
)
from p4warden.commands.own_account import connected_account, refuse_if_stopped
from p4warden.core import saved_text
from p4warden.core.errors import P4WardenError
from p4warden.history.undone import undone_on_failure
from p4warden.home import active_policy, trusted_files, usable
from p4warden.policy.problems import Problem, render
from p4warden.rehearse import known_surroundings, own_account
from p4warden.rehearse.program_answers import UNLESS_TRIGGERS_IO, long_commands_note
from p4warden.server import printing_lines, table_form
from p4warden.server.connection import Address, connected
from p4warden.table import instances, plan_file
from p4warden.table.merge import WHERE, TablePosition, merge
from p4warden.table.trigger_lines import lines_for
from p4warden.table.triggers_table import TableError, table_in

if TYPE_CHECKING:
    from p4warden.commands.deploy.consequences import Consequences
    from p4warden.commands.deploy.servers import Names
    from p4warden.policy.compiled import Policy
    from p4warden.server.other_servers import OtherServers
    from p4warden.server.table_form import Server
    from p4warden.table.merge import Plan


def _place(text: str) -> TablePosition:
    where, _, name = text.strip().partition(" ")
    if where not in WHERE or (where in ("before", "after")) != bool(name.strip()):
        raise click.BadParameter("specify first, last, 'before NAME' or 'after NAME'")
    return TablePosition(where, name.strip())


@click.command()
@installation_options
@full_option
@click.option(
    "--place",
    type=_place,
    metavar="WHERE",
    help="Put p4warden's lines first, last, 'before NAME' or 'after NAME' of another tool's line.",
)
@click.option(
    "--instance",
    "name",
    metavar="NAME",
    help="A name for this installation, needed where one server has several.",
)
@click.option(
    "--policy",
    "policy_file",
    metavar="POLICY",
    type=named_policy,
    help="Plan for this YAML file before it is activated, and show the changes.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object, for programs.")
@click.option("--no-next", is_flag=True, help="Do not print the commands to run next.")
@click.option(
    "--offline",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Read FILE, the output of p4 triggers -o, instead of the server, and print the table to "
    "paste; no plan is stored.",
)
@servers.names_options
def plan(  # noqa: PLR0913 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    *,
    place: TablePosition | None,
    name: str | None,
    policy_file: str | None,
    offline: str | None,
    ready_on: tuple[str, ...],
    exclude: tuple[str, ...],
    reason: str,
    full: bool,
    no_next: bool,
    as_json: bool,
) -> int:
    """Show how the triggers table must change for the policy, and store this plan for `apply`.

    The server is only read. A failed plan discards the earlier one: `apply` carries out the plan
    that was shown last, or none.

    Exit code: 0 if the table is as the running policy needs it, 1 if not, 2 on failure; so cron
    reports a table that was changed. With --policy the exit code is 1 also if that policy is not
    running yet. It is 1 as well if another server runs these lines and is not named; --ready-on
    and --exclude are for `apply`, which remembers them.
    """
    names = servers.names_of(ready_on, exclude, reason)
    try:
        policy = checked_policy(policy_file, home) if policy_file else running_policy(home)
        usable.refuse_unusable(home)
        if not offline:
            plan_file.forget(home)
        with undone_on_failure(home, (instances.FILE_NAME, plan_file.FILE_NAME)):
            if name:
                trusted_files.make(home)
                instances.give(home, name)
            if offline:
                return _offline(policy, home, offline, place)
            if not policy_file:
                running_facts(home)
            running = active_policy.policy_if_any(home)
            to_run = Activation(home, policy_file, policy, running)
            report = _planned(to_run, Address(port, user), place, names)
    except P4WardenError as error:
        error.exit_code = 2
        raise
    _print(report, full=full, as_json=as_json, has_effects=not no_next)
    return 1 if to_run.is_needed or report.plan.changes or report.others.unnamed else 0


class _PlanReport(NamedTuple):
    activation: Activation
    server: Server
    others: OtherServers
    names: Names
    plan: Plan
    notes: list[str]
    doubts: list[Problem]
    consequences: Consequences | None

    def document(self) -> dict[str, Any]:
        lines = {"added": self.plan.added, "updated": self.plan.updated}
        lines |= {"removed": self.plan.removed, "moved": self.plan.moved}
        effects = self.consequences.document() if self.consequences else None
        running = self.activation.running_policy
        return {
            "server": self.server.port,
            "policy": self.activation.policy.digest,
            "runs": running.digest if running else None,
            "differences": [one._asdict() for one in self.activation.differences()],
            "consequences": effects,
            "servers": servers.document(self.others),
            "trigger_lines": {name: list(names) for name, names in lines.items()},
            "notes": self.notes,
            "warnings": [f"{render(doubt.path)}: {doubt.text}" for doubt in self.doubts],
        }


def _planned(
    to_run: Activation, address: Address, place: TablePosition | None, names: Names
) -> _PlanReport:
    home, policy = to_run.home, to_run.policy
    with connected(address) as p4:
        accounts = own_account.recorded(home), connected_account(home, policy, p4)
        installation = table_form.installation(p4, home)
        plan = table_form.plan_for(p4, policy, installation, place)
        server = table_form.server_of(p4)
        others = servers.read(p4, home, names)
        printing = printing_lines.found(p4, plan.before, installation.owner)
    around = known_surroundings.surroundings_of_home(home)
    plan_notes = [*notes(policy, installation, server, plan)]
    plan_notes += [f"{line.words()}; {printing_lines.REMEDY}." for line in printing]
    doubts, effects = list[Problem](), None
    try:
        refuse_gone()
        refuse_if_stopped(home, policy, to_run.file, accounts)
        # The warnings about a policy file are left out, because `checked_policy` printed them.
        doubts += [] if to_run.file else known_surroundings.doubts(policy, around)
        if to_run.is_needed:
            effects = consequences.compute(home, to_run.running_policy, policy)
    except GateGoneError as gone:
        plan_notes.append(f"the consequences for users are not shown: {gone}")
    trusted_files.make(home)
    plan_file.keep(home, plan_file.KeptPlan(p4.port, policy.digest, plan))
    return _PlanReport(to_run, server, others, names, plan, plan_notes, doubts, effects)


def _print(report: _PlanReport, *, full: bool, as_json: bool, has_effects: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.document(), indent=1))
        return
    to_run, plan = report.activation, report.plan
    for line in to_run.lines() if to_run.is_needed else ():
        click.echo(line)
    for line in report.consequences.lines() if report.consequences else ():
        click.echo(line)
    click.echo(f"Server: {report.server.port}, {report.server.version or 'version unknown'}")
    show(plan, full=full)
    for line in servers.lines(report.others):
        click.echo(line)
    for doubt in report.doubts:
        click.echo(f"Warning: {render(doubt.path)}: {doubt.text}")
    for note in report.notes:
        click.echo(f"Note: {note}")
    if has_effects and (to_run.is_needed or plan.changes):
        file = to_run.file if to_run.is_needed else None
        command = servers.apply_command(to_run.home, file, report.names)
        click.echo(f"Nothing has been changed yet. Next:\n  {command}")


def _offline(policy: Policy, home: str, file: str, place: TablePosition | None) -> int:
    installation = instances.installed(home)
    try:
        form = table_in(saved_text.decoded(Path(file).read_bytes()))
        plan = merge(form, lines_for(policy, installation), installation.owner, place)
    except OSError as error:
        raise P4WardenError(f"{file}: cannot be read: {error.strerror}") from error
    except saved_text.EncodingError as error:
        raise P4WardenError(f"{file} {error}") from error
    except TableError as error:
        raise P4WardenError(f"{file}: {error}") from error
    click.echo(plan.after, nl=False)
    if note := long_commands_note(policy, UNLESS_TRIGGERS_IO):
        click.echo(f"note: {note}", err=True)
    return 1 if plan.changes else 0
