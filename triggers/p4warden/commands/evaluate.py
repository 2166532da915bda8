"""`p4warden evaluate`: events as JSON lines in, one verdict a line out."""

from __future__ import annotations

import sys

import click

from p4warden.commands.options import checked_policy, home_option, running_policy
from p4warden.doorway import Doorway
from p4warden.event_lines import EventError

MAX_LINE_BYTES = 32 * 1024 * 1024


@click.command()
@click.option("--policy", metavar="POLICY", help="A YAML file in place of the running policy.")
@home_option
def evaluate(policy: str | None, home_folder: str) -> int:
    """Judge events from standard input, one JSON object a line.

    A line that is no event is named on standard error and passed over; the exit code is then 1.
    """
    wrong = 0
    with Doorway(checked_policy(policy) if policy else running_policy(home_folder)) as doorway:
        for number, line in enumerate(iter(_line, b""), 1):
            try:
                if line.strip():
                    click.echo(doorway.answer(line))
            except EventError as error:
                wrong += 1
                click.echo(f"stdin:{number}:1: {error}", err=True)
    return 1 if wrong else 0


def _line() -> bytes:
    return sys.stdin.buffer.readline(MAX_LINE_BYTES)
