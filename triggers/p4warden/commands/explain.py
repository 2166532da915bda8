from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from p4warden.asking.gate_program import GateError, GateGoneError
from p4warden.asking.judge import EventError
from p4warden.commands import event_lookup
from p4warden.commands.event_file import display_name, read_object
from p4warden.commands.options import WholeNumber, chosen_policy, home_option, policy_option
from p4warden.core import facts as core_facts
from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.core.records import Facts
from p4warden.core.shell_words import pasteable, recorded
from p4warden.history.local_time import minute_text
from p4warden.home import active_policy, allowances, baseline_file, trusted_files
from p4warden.home.trusted_files import HomeError
from p4warden.rehearse import typed_command
from p4warden.rehearse.explanation import explain as explained
from p4warden.rehearse.explanation_text import to_text

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy
    from p4warden.rehearse.explanation import Document


@click.command()
@click.argument("event_file", metavar="[EVENT.json]", required=False)
@policy_option
@home_option
@click.option("--facts", metavar="FILE", help="Facts of the server, in the format of facts.json.")
@click.option(
    "--index", metavar="FILE", help="The index of a checkpoint; default: the home folder's."
)
@click.option(
    "--repeat",
    type=WholeNumber(1, event_lookup.MOST_REPETITIONS),
    metavar="N",
    help="Judge the event N times in a row, to see when a rate limit is reached; default: once, "
    "or as often as the decision of --decision counted.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
@click.option("--typed", metavar="LINE", help='A command line: "p4 files //depot/...".')
@click.option(
    "--spec", metavar="TYPE:NAME", help="Judge a spec on the server as if its owner saved it."
)
@click.option(
    "--decision", type=int, metavar="N", help="Line N of the decision log; -1 is the last."
)
@click.option("-p", "--port", metavar="PORT", help="The server for --spec; default: P4PORT.")
@click.option("--user", metavar="USER", help="The user of the event.")
@click.option("--groups", metavar="A,B", help="The user's groups.")
@click.option("--client", metavar="CLIENT", help="The client of the event.")
def explain(  # noqa: PLR0913 - one for each option
    event_file: str | None,
    policy: str | None,
    facts: str | None,
    index: str | None,
    repeat: int | None,
    home: str,
    *,
    typed: str | None,
    spec: str | None,
    decision: int | None,
    port: str | None,
    as_json: bool,
    user: str | None,
    groups: str | None,
    client: str | None,
) -> None:
    """Judge one event and show the answer of every rule and exemption, with its reason.

    The event is one JSON object, as for evaluate (- for standard input), a command line as typed,
    a spec on the server, or a line of the decision log; --user, --groups and --client add what
    it lacks. "Events" in docs/policy-reference.md has the object's fields.
    """
    sources = [event_file, typed, spec, decision]
    if sum(source is not None for source in sources) != 1:
        raise click.UsageError("name one of EVENT.json, --typed, --spec and --decision")
    record = None if decision is None else event_lookup.decision_event(home, decision)
    found = read_object(event_file) if event_file else _found(record, typed, spec, port)
    repeat = repeat or (event_lookup.repetitions(record) if record else 1)
    event = {"time": time.time(), **found, **_completing(user, groups, client)}
    judged_by = chosen_policy(policy, home)
    if facts:
        event["facts"] = read_object(facts)
    elif policy is None and "facts" not in event:
        event["facts"] = _facts(home, judged_by, event)
    own = None if policy or index else trusted_files.index_path(home)
    try:
        explanation = _explained(judged_by, event, repeat, index or own, has_own=bool(own))
    except EventError as error:
        raise P4WardenError(f"{display_name(event_file or 'the event')}: {error}") from error
    if as_json:
        click.echo(json.dumps(explanation))
    else:
        click.echo(to_text(explanation), nl=False)
        if policy is None:
            _show_allowances(home, explanation)


def _show_allowances(home: str, explanation: Document) -> None:
    rule, event = explanation["answer"]["rule"], explanation["event"]
    try:
        lifting = allowances.lifting(home, time.time(), rule, event)
    except HomeError as error:
        click.echo(f"note: {error}", err=True)
        return
    for one in lifting:
        allowed = f"Allowed until {minute_text(one.until_s)} by allowance {one.id}"
        click.echo(printable(f"{allowed}: {one.words()} ({one.reason}; by {one.by})"))


def _explained(
    policy: Policy, event: dict[str, Any], repeat: int, index: str | None, *, has_own: bool
) -> Document:
    """Explain without the home's index if it cannot be used, as triggers judge without it."""
    try:
        return explained(policy, event, repeat, index)
    except GateError as error:
        if not has_own or isinstance(error, GateGoneError):
            raise
        click.echo(f"note: without the index: {error}", err=True)
        return explained(policy, event, repeat)


def _completing(user: str | None, groups: str | None, client: str | None) -> dict[str, Any]:
    names = None if groups is None else [group for group in groups.split(",") if group]
    fields = {"user": user, "groups": names, "client": client}
    return {name: value for name, value in fields.items() if value is not None}


def _found(
    record: dict[str, Any] | None, typed: str | None, spec: str | None, port: str | None
) -> dict[str, Any]:
    if spec is not None:
        return event_lookup.spec_event(spec, port)
    if record is not None:
        return _logged(record)
    try:
        return typed_command.event_of(typed or "")
    except EventError as error:
        raise click.UsageError(f"--typed: {error}") from error


def _logged(record: dict[str, Any]) -> dict[str, Any]:
    """Return the event of a decision; P4WardenError for a form, whose text the log lacks."""
    if record["event"].startswith("form-"):
        spec = pasteable(recorded(f"{record.get('type')}:{record.get('name')}"))
        raise P4WardenError(
            "the log does not contain forms; explain the present one of the server with "
            f"--spec {spec}"
        )
    for line in event_lookup.lines_about(record):
        click.echo(f"note: {line}", err=True)
    return event_lookup.event_of(record)


def _facts(home: str, policy: Policy, event: dict[str, Any]) -> dict[str, Any]:
    try:
        facts = active_policy.known_facts(home)
    except active_policy.NoFactsError:
        facts = Facts()
    document = core_facts.to_document(facts)
    if any(rule.baseline for rule in policy.rules):
        spec = event.get("type") or "", event.get("name") or ""
        key = baseline_file.key(*spec, case_sensitive=facts.case_sensitive)
        document["baseline"] = baseline_file.read(home).get(key, [])
    return document
