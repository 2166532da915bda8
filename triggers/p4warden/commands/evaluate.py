from __future__ import annotations

import codecs
import json
import sys
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import chosen_policy, home_option, policy_option
from p4warden.core import saved_text
from p4warden.core.errors import P4WardenError
from p4warden.policy.judged import judging_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.asking.judge import Judge

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
    with judging_by(judged_by, index=index, flags=["texts"]) as judge:
        lines = ((number, line) for number, line in enumerate(_lines(), 1) if line.strip())
        successes = [_answer(judge, number, line) for number, line in lines]
    return 0 if all(successes) else 1


def _lines() -> Iterator[bytes]:
    """Yield the lines; of one that is too long, only the start, which the gate refuses."""
    mark = codecs.BOM_UTF8
    while line := sys.stdin.buffer.readline(MAX_LINE_BYTES):
        if mark and line.startswith(saved_text.UTF16_MARKS):
            raise P4WardenError("standard input is UTF-16 (write the events in UTF-8)")
        rest = line
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = sys.stdin.buffer.readline(MAX_LINE_BYTES)
        yield line.removeprefix(mark)
        mark = b""


def _answer(judge: Judge, number: int, line: bytes) -> bool:
    """Answer one line before the next is read, because its sender may wait for the answer."""
    reply = next(judge.replies([line.rstrip(b"\n") + b"\n"]))
    answer = json.loads(reply)
    has_died = judge.process_id() is None
    if "error" not in answer:
        click.echo(reply)
    if "error" in answer or has_died:
        click.echo(f"stdin:{number}:1: {answer.get('error') or answer['detail']}", err=True)
        return False
    return True
