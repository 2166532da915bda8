from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import home_option
from p4warden.core.plural import amount
from p4warden.health import budgets
from p4warden.history.local_time import local_day
from p4warden.home import last_census
from p4warden.policy.check import check_file
from p4warden.policy.problems import Problem
from p4warden.rehearse import known_surroundings
from p4warden.rehearse.census_counts import refused_specs
from p4warden.rehearse.program_answers import UNLESS_TRIGGERS_IO, long_commands_note
from p4warden.table.trigger_lines import rules_with_arguments

if TYPE_CHECKING:
    from p4warden.policy.check import CheckedPolicy
    from p4warden.policy.compiled import Policy
    from p4warden.policy.problems import LocatedProblem
    from p4warden.rehearse.census_counts import RefusedSpecs


@click.command()
@click.argument("policy")
@home_option
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
def check(policy: str, home: str, *, strict: bool) -> int:
    """Check POLICY, a YAML file.

    Prints each problem as file:line:col: path: problem (correction), and for a correct policy a
    summary. Each enforced rule is tested with example events that it should stop; a rule that
    stops none of them is reported with the reason. If the home folder has facts about the server,
    the users, groups and depots that the policy names are checked as well.

    Warnings do not fail the check without --strict. Exit code for scripts: 0 if the policy is
    correct, 1 otherwise.
    """
    today = datetime.date.today()  # noqa: DTZ011 - exemptions end by the server's local time
    check_result = check_file(policy, today)
    warnings = _warnings(check_result, home, strict=strict)
    for warning in warnings:
        click.echo(warning.line(policy, "" if strict else "warning: "))
    for problem in check_result.problems:
        click.echo(problem.line(policy))
    for note in _notes(check_result, home, today.isoformat()):
        click.echo(note.line(policy, "note: "))
    if check_result.policy is None:
        return 1
    rules = amount(len(check_result.policy.rules), "rule")
    exemptions = amount(len(check_result.policy.exemptions), "exemption")
    counts = amount(len(warnings), "error" if strict else "warning") if warnings else "no mistakes"
    click.echo(f"{policy}: {rules}, {exemptions}: {counts}")
    return int(strict and bool(warnings))


def _warnings(check_result: CheckedPolicy, home: str, *, strict: bool) -> list[LocatedProblem]:
    warnings = [*check_result.warnings]
    if check_result.policy is not None:
        around = known_surroundings.surroundings_of_home(home)
        warnings += check_result.locate(known_surroundings.doubts(check_result.policy, around))
        warnings += check_result.locate(
            known_surroundings.useless_rules(check_result.policy, around)
        )
        if strict:
            warnings += check_result.locate(
                known_surroundings.unknown_names(check_result.policy, around)
            )
    return sorted(warnings, key=lambda warning: warning.mark)


def _notes(check_result: CheckedPolicy, home: str, today: str) -> list[LocatedProblem]:
    if check_result.policy is None:
        return []
    places = rules_with_arguments(check_result.policy)
    text = long_commands_note(check_result.policy, UNLESS_TRIGGERS_IO)
    notes = [Problem(("rules", places[0], "rule"), text)] if text else []
    of_budgets = budgets.notes(check_result.policy, home)
    notes += [Problem(("rules", place, "weight"), text) for place, text in of_budgets]
    around = known_surroundings.surroundings_of_home(home)
    notes += known_surroundings.worthwhile_rules(check_result.policy, around)
    return check_result.locate([*notes, *_census_notes(check_result.policy, home, today)])


def _census_notes(policy: Policy, home: str, today: str) -> list[Problem]:
    census = last_census.last(home)
    if census is None:
        return []
    day, around = local_day(census.taken_s), known_surroundings.surroundings_of_home(home)
    of_rules = refused_specs(census, policy, around.facts, around.names, today)
    return [
        Problem(("rules", index, "mode"), f"{_enforce(counts)} {counts.words} (census of {day})")
        for index, rule in enumerate(policy.rules)
        if rule.mode != "off" and (counts := of_rules.get(rule.name)) and counts.objections.specs
    ]


def _enforce(counts: RefusedSpecs) -> str:
    if counts.rule.mode == "observe":
        return "enforce would refuse"
    return "enforce refuses, for its canary," if counts.rule.canary else "enforce refuses"
