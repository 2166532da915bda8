"""`p4warden replay LOG...`: judge logged commands by a policy; show refusals and time saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from p4warden.asking.tables import synonym_of
from p4warden.commands import facts_origin
from p4warden.commands.log_progress import progress
from p4warden.commands.options import (
    Number,
    WholeNumber,
    checked_policy,
    chosen_groups,
    home_option,
    named_policy,
    policy_option,
    running_policy,
)
from p4warden.commands.replay.report_output import period, show
from p4warden.core import facts
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import listed
from p4warden.core.printable import decoded
from p4warden.core.records import Facts
from p4warden.home import trusted_files, usable
from p4warden.policy.judged import NO_POLICY
from p4warden.policy.selector_meaning import selectors_in
from p4warden.workbench.replay.log_replay import Rehearsal, budgeted, rehearse
from p4warden.workbench.replay.suggested_at_once import suggest_at_once
from p4warden.workbench.replay.suggested_budget import suggest_budget
from p4warden.workbench.replay.suggested_limits import Margins, busiest, suggest
from p4warden.workbench.replay.suggested_policy import write

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.replay.membership import Groups
    from p4warden.workbench.replay.suggested_limits import SuggestedLimit


_DAY_S = 86400


def _no_option(_context: click.Context, _option: click.Parameter, log: str | None) -> None:
    """Click callback: refuse `--log`, because `p4warden replay` takes logs as arguments."""
    if log is not None:
        raise click.UsageError(f"specify the logs without --log: p4warden replay {log}")


def _server_name(name: str) -> str:
    if not name or "=" in name:
        raise click.BadParameter("write the server's identifier alone, as p4 serverid shows it")
    return name


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@policy_option
@click.option(
    "--compare",
    metavar="POLICY",
    type=named_policy,
    help="Another policy; show the commands on which the two differ.",
)
@click.option("--enforce", is_flag=True, help="Judge as if rules in mode observe were enforced.")
@click.option("--groups", "groups_file", metavar="FILE", help="Group memberships, as YAML.")
@click.option("--checkpoint", metavar="FILE", help="Take the groups from a checkpoint.")
@click.option(
    "--facts", "facts_file", metavar="FILE", help="A facts.json; default: the home folder's."
)
@click.option(
    "--server",
    metavar="NAME",
    type=_server_name,
    help="The server that wrote the logs, for rules with servers:; default: as the logs state.",
)
@click.option("--services", metavar="NAME", help="Its services, such as commit-server.")
@click.option(
    "--index",
    metavar="FILE",
    help="Estimate rows with this index of a checkpoint, and compare them with the log's.",
)
@click.option(
    "--suggest", "suggesting", is_flag=True, help="Print limits that fit the logs, as YAML."
)
@click.option(
    "--percentile",
    type=Number(1, 100),
    default=99.0,
    show_default=True,
    metavar="N",
    help="With --suggest: base each limit on the needs of N % of the users.",
)
@click.option(
    "--headroom",
    type=Number(1, 1000),
    default=2.0,
    show_default=True,
    metavar="N",
    help="With --suggest: set each limit to N times these needs.",
)
@click.option(
    "--each",
    metavar="FILE",
    help="Write the verdict on each command to FILE, one JSON object per line.",
)
@click.option(
    "--top",
    type=WholeNumber(1, 200),
    default=10,
    show_default=True,
    metavar="N",
    help="Rows in each table of the report.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--log", hidden=True, is_eager=True, expose_value=False, callback=_no_option)
@home_option
def replay(logs: tuple[str, ...], home: str, top: int, as_json: bool, **options: Any) -> int:  # noqa: FBT001 - click's way
    """Judge the commands of p4d's logs by a policy: text or structured, plain or gzip, any order.

    Commands are judged as by the triggers, at their times in the log (set TZ to the server's time
    zone). With --suggest, limits for the policy's commands, or for the most frequent ones, are
    derived from the logs instead. With --index the estimates of limit_scanned_rows are compared
    with the rows in the log's track lines, and --suggest adds a budget of files. The exit code is
    1 if a log could not be read to its end.
    """
    usable.refuse_unwritable(options["each"])
    rehearsal = _rehearsal(logs, home, options)
    with progress() as bar:
        report = rehearse(rehearsal, bar)
    for problem in report["problems"]:
        click.echo(f"p4warden: {problem}", err=True)
    if options["suggesting"]:
        margins = Margins(options["percentile"], options["headroom"])
        click.echo(_suggested(report, rehearsal, margins), nl=False)
    elif as_json:
        click.echo(json.dumps(report))
    else:
        show(report, rehearsal.policy, top)
    return 1 if report["problems"] else 0


def _rehearsal(logs: tuple[str, ...], home: str, options: dict[str, Any]) -> Rehearsal:
    if options["policy"]:
        policy = checked_policy(options["policy"])
    else:
        policy = NO_POLICY if options["suggesting"] else running_policy(home)
    other = checked_policy(options["compare"]) if options["compare"] else None
    facts_file = options["facts_file"] or _facts_of(home)
    return Rehearsal(
        logs,
        _enforced(policy) if options["enforce"] else policy,
        compared_policy=_enforced(other) if other and options["enforce"] else other,
        facts=facts_file,
        groups=chosen_groups(options["groups_file"], options["checkpoint"]),
        history=options["suggesting"],
        verdict_file=options["each"],
        index_file=options["index"],
        server=options["server"],
        services=options["services"],
    )


def _facts_of(home: str) -> str | None:
    file = Path(home, facts.FILE_NAME)
    if not trusted_files.has(home, facts.FILE_NAME):
        return None
    click.echo(f"note: {facts_origin.facts_note(home)}", err=True)
    return str(file)


def _enforced(policy: Policy) -> Policy:
    rules = (
        rule if rule.mode == "off" else rule._replace(mode="enforce", canary=None)
        for rule in policy.rules
    )
    return policy._replace(rules=tuple(rules))


def _suggested(report: dict[str, Any], rehearsal: Rehearsal, margins: Margins) -> str:
    history = report["history"]
    commands = _commands(rehearsal.policy, "limit_command_rate") or busiest(history)
    groups = _folded(rehearsal)
    limits = suggest(history, commands, groups, margins)
    for command in _commands(rehearsal.policy, "limit_concurrent_commands"):
        limits += _at_once(command, history, groups, margins)
    if report["budget"]:
        limits += _budgets(report["budget"], rehearsal, groups, margins)
    if not limits:
        raise click.ClickException("the logs contain no command that can be limited")
    undecided = _undecided_classes(rehearsal)
    if undecided:
        text = f"who is of class {listed(undecided)} is unknown without --groups or --checkpoint"
        click.echo(f"note: {text}", err=True)
    days = period(report)
    if report["from"] is not None and report["until"] - report["from"] < _DAY_S:
        short = "less than a day, so that other hours may need more: suggest from a week"
        click.echo(f"note: the logs are of {short}", err=True)
        days += f",\n# {short}"
    return write(limits, margins, days, rehearsal.policy.classes)


def _commands(policy: Policy, kind: str) -> list[str]:
    rules = (one for one in policy.rules if one.rule == kind and one.mode != "off")
    settings = (one.settings for one in rules if not one.settings.get("weight"))
    return list(dict.fromkeys(synonym_of(c).main_name for s in settings for c in s["commands"]))


def _undecided_classes(rehearsal: Rehearsal) -> list[str]:
    """Return the classes that depend on groups, if no option defines the groups."""
    classes = rehearsal.policy.classes if rehearsal.groups is None else {}
    return [
        name
        for name, selector in classes.items()
        if any("groups" in one for _, one in selectors_in({"classes": {name: selector}}))
    ]


def _budgets(
    history: dict[str, Any], rehearsal: Rehearsal, groups: Groups, margins: Margins
) -> list[SuggestedLimit]:
    _, unknown_as = budgeted(rehearsal.policy)
    budgets = suggest_budget(history, unknown_as, groups, margins)
    if not budgets:
        text = "no budget of files is suggested: the index has no estimate for most commands"
        click.echo(f"note: {text}", err=True)
    return budgets


def _at_once(
    command: str, history: dict[str, Any], groups: Groups, margins: Margins
) -> list[SuggestedLimit]:
    try:
        return suggest_at_once(history, command, groups, margins)
    except P4WardenError as error:
        click.echo(f"note: no number of {command} at once is suggested: {error}", err=True)
        return []


def _folded(rehearsal: Rehearsal) -> Groups:
    server_facts = facts_origin.facts_of_file(rehearsal.facts) if rehearsal.facts else Facts()
    return {
        group: [decoded(facts.folded(user, server_facts)) for user in users]
        for group, users in (rehearsal.groups or {}).items()
    }
