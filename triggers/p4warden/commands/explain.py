"""`p4warden explain`: one event judged, every rule and every exemption with its reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.given_event import event_given, event_options, read_object, shown
from p4warden.commands.options import chosen_policy, home_option, policy_option
from p4warden.core import facts as known
from p4warden.core.errors import P4WardenError
from p4warden.home import active_policy
from p4warden.rehearse.event_lines import EventError
from p4warden.rehearse.explanation import explain as explained
from p4warden.rehearse.explanation_text import to_document, to_text

if TYPE_CHECKING:
    from p4warden.core.records import Facts
    from p4warden.policy.compiled import Policy


@click.command()
@click.argument("event_file", metavar="[EVENT.json]", required=False)
@policy_option
@home_option
@click.option("--facts", metavar="FILE", help="What is known of the server, as facts.json has it.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 10000),
    default=1,
    metavar="N",
    help="Judge the event N times at once, to see a rate limit reached.",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
@event_options
def explain(
    event_file: str | None,
    policy: str | None,
    facts: str | None,
    repeat: int,
    home: str,
    *,
    as_json: bool,
    **options: str | None,
) -> None:
    """Judge one event and show what every rule and every exemption says of it, and why.

    The event is one JSON object, as for evaluate (- for standard input), or told by options: a
    form by --type and --form, a command by --command and --args. "Events" in
    docs/policy-reference.md has the object's fields; p4warden schema --reference prints it.
    """
    event = event_given(event_file, options)
    judged_by = chosen_policy(policy, home)
    if facts:
        event["facts"] = read_object(facts)
    elif policy is None and "facts" not in event:
        event["facts"] = known.to_document(_facts(home, judged_by, event))
    try:
        explanation = explained(judged_by, event, repeat)
    except EventError as error:
        raise P4WardenError(f"{shown(event_file or 'the event')}: {error}") from error
    if as_json:
        click.echo(json.dumps(to_document(explanation)))
    else:
        click.echo(to_text(explanation), nl=False)


def _facts(home: str, policy: Policy, event: dict[str, Any]) -> Facts:
    """Return what triggers of that home folder would judge the event by."""
    facts = active_policy.known_facts(home)
    if not any(rule.baseline for rule in policy.rules):
        return facts
    return active_policy.facts_about(home, facts, event.get("type"), event.get("name"))
