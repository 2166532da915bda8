"""`p4warden evaluate`: events as JSON lines in, one verdict a line out."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import checked_policy, home_option, running_policy
from p4warden.engine import evaluate as judge
from p4warden.event_lines import EventError, event_from, facts_from, verdict_to

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

MAX_LINE_CHARACTERS = 32 * 1024 * 1024


@click.command()
@click.option("--policy", metavar="POLICY", help="A YAML file in place of the running policy.")
@home_option
def evaluate(policy: str | None, home_folder: str) -> int:
    """Judge events from standard input, one JSON object a line.

    A line that is no event is named on standard error and passed over; the exit code is then 1.
    """
    judged_by = checked_policy(policy) if policy else running_policy(home_folder)
    wrong = 0
    lines = iter(lambda: sys.stdin.buffer.readline(MAX_LINE_CHARACTERS), b"")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            sys.stdout.write(f"{_answer(judged_by, line)}\n")
            sys.stdout.flush()
        except EventError as error:
            wrong += 1
            click.echo(f"stdin:{number}:1: {error}", err=True)
    return 1 if wrong else 0


def _answer(policy: Policy, line: bytes) -> str:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EventError(f"this is no JSON: {error}") from error
    event, facts = event_from(document, _day), facts_from(document)
    return json.dumps(verdict_to(document.get("id"), judge(policy, event, facts)))


def _day(time_s: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time_s))
