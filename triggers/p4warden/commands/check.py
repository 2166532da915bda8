from __future__ import annotations

import datetime
import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import home_option, named_policy
from p4warden.core.plural import amount
from p4warden.health import budgets
from p4warden.history.local_time import local_day
from p4warden.home import allowances, last_census
from p4warden.policy.check import check_file
from p4warden.policy.problems import Problem
from p4warden.rehearse import known_surroundings, own_account
from p4warden.rehearse.census_counts import refused_specs
from p4warden.rehearse.program_answers import UNLESS_TRIGGERS_IO, long_commands_note
from p4warden.table.trigger_lines import rules_with_arguments

if TYPE_CHECKING:
    from p4warden.home.last_census import Census
    from p4warden.policy.check import CheckedPolicy
    from p4warden.policy.compiled import Policy
    from p4warden.policy.problems import LocatedProblem
    from p4warden.policy.rule_gain import RuleGain
    from p4warden.rehearse.census_counts import RefusedSpecs
    from p4warden.rehearse.witness import Surroundings

    Gains = list[tuple[int, str, RuleGain]]


@click.command()
@click.argument("policy", type=named_policy)
@home_option
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
def check(policy: str, home: str, *, strict: bool) -> int:
    """Check POLICY, a YAML file or the name of a shipped policy.

    Prints each problem as file:line:col: path: problem (correction), and for a correct policy a
    summary. Each enforced rule is tested with example events that it should stop; a rule that
    stops none of them is reported with the reason. If the home folder has facts about the server,
    the users, groups and depots that the policy names are checked as well.

    Warnings do not fail the check without --strict. Exit code for scripts: 0 if the policy is
    correct, 1 otherwise.
    """
    today = datetime.date.today()  # noqa: DTZ011 - exemptions end by the server's local time
    check_result = check_file(policy, today)
    around = known_surroundings.surroundings_of_home(home)
    gains = known_surroundings.gains(check_result.policy, around) if check_result.policy else []
    warnings = _warnings(check_result, home, around, gains, strict=strict)
    for warning in warnings:
        click.echo(warning.line(policy, "" if strict else "warning: "))
    for problem in check_result.problems:
        click.echo(problem.line(policy))
    for note in _notes(check_result, home, around, gains, today.isoformat()):
        click.echo(note.line(policy, "note: "))
    if check_result.policy is None:
        return 1
    rules = amount(len(check_result.policy.rules), "rule")
    exemptions = amount(len(check_result.policy.exemptions), "exemption")
    allowed = _allowances(home)
    counts = amount(len(warnings), "error" if strict else "warning") if warnings else "no mistakes"
    click.echo(f"{policy}: {rules}, {exemptions}{allowed}: {counts}")
    return int(strict and bool(warnings))


def _allowances(home: str) -> str:
    present = allowances.known(home, time.time())
    return f", {amount(len(present), 'allowance')} in {home}" if present else ""


def _warnings(
    check_result: CheckedPolicy, home: str, around: Surroundings, gains: Gains, *, strict: bool
) -> list[LocatedProblem]:
    warnings = [*check_result.warnings]
    if check_result.policy is not None:
        warnings += check_result.locate(known_surroundings.doubts(check_result.policy, around))
        warnings += check_result.locate(known_surroundings.about_gains(gains, is_worth_it=False))
        warnings += check_result.locate(own_account.doubts(check_result.policy, home, around))
        if strict:
            warnings += check_result.locate(
                known_surroundings.unknown_names(check_result.policy, around)
            )
    return sorted(warnings, key=lambda warning: warning.mark)


def _notes(
    check_result: CheckedPolicy, home: str, around: Surroundings, gains: Gains, today: str
) -> list[LocatedProblem]:
    if check_result.policy is None:
        return []
    places = rules_with_arguments(check_result.policy)
    text = long_commands_note(check_result.policy, UNLESS_TRIGGERS_IO)
    notes = [Problem(("rules", places[0], "rule"), text)] if text else []
    of_budgets = budgets.notes(check_result.policy, home)
    notes += [Problem(("rules", place, "weight"), text) for place, text in of_budgets]
    notes += known_surroundings.about_gains(gains, is_worth_it=True)
    of_census = _census_notes(check_result.policy, last_census.last(home), around, today)
    return check_result.locate([*notes, *of_census])


def _census_notes(
    policy: Policy, census: Census | None, around: Surroundings, today: str
) -> list[Problem]:
    if census is None:
        return []
    day = local_day(census.taken_s)
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
