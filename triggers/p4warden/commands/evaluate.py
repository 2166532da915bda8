from __future__ import annotations

import sys

import click

from p4warden.commands.options import chosen_policy, home_option, policy_option
from p4warden.rehearse.evaluator import DefectError, Evaluator, evaluating
from p4warden.rehearse.event_lines import EventError

MAX_LINE_BYTES = 32 * 1024 * 1024


@click.command()
@policy_option
@click.option("--index", metavar="FILE", help="The index of a checkpoint, for estimates.")
@home_option
def evaluate(policy: str | None, index: str | None, home: str) -> int:
    """Judge events from standard input, one JSON object per line.

    A line that is not an event is reported on standard error and skipped; the exit code is then 1.
    An event on which p4warden itself fails gets the verdict unknown, and is reported as well.
    "Events" in docs/policy-reference.md has the fields of an event and of a verdict.
    """
    judged_by = chosen_policy(policy, home)
    with evaluating(judged_by, index) as evaluator:
        lines = enumerate(iter(lambda: sys.stdin.buffer.readline(MAX_LINE_BYTES), b""), 1)
        successes = [_answer(evaluator, number, line) for number, line in lines if line.strip()]
    return 0 if all(successes) else 1


def _answer(evaluator: Evaluator, number: int, line: bytes) -> bool:
    try:
        click.echo(evaluator.answer(line))
    except EventError as error:
        if isinstance(error, DefectError):
            click.echo(error.answer)
        click.echo(f"stdin:{number}:1: {error}", err=True)
        return False
    return True
