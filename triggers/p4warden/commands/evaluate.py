"""`p4warden evaluate`: events as JSON lines in, one verdict a line out."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.options import checked_policy, home_option, running_policy
from p4warden.engine import evaluate as judge_event
from p4warden.event_lines import EventError, event_from, facts_from, verdict_to
from p4warden.gate import judging
from p4warden.policy import compiled
from p4warden.trigger_lines import watched_commands

if TYPE_CHECKING:
    from p4warden.gate import Judge
    from p4warden.policy.compiled import Policy

MAX_LINE_BYTES = 32 * 1024 * 1024


@click.command()
@click.option("--policy", metavar="POLICY", help="A YAML file in place of the running policy.")
@home_option
def evaluate(policy: str | None, home_folder: str) -> int:
    """Judge events from standard input, one JSON object a line.

    A line that is no event is named on standard error and passed over; the exit code is then 1.
    """
    judged_by = checked_policy(policy) if policy else running_policy(home_folder)
    lines = iter(lambda: sys.stdin.buffer.readline(MAX_LINE_BYTES), b"")
    with contextlib.ExitStack() as open_until_the_end:
        doorway = Doorway(judged_by, open_until_the_end)
        events = ((n, line) for n, line in enumerate(lines, 1) if line.strip())
        answered = [doorway.answer(number, line) for number, line in events]
    return 0 if all(answered) else 1


class Doorway:
    """Answers events: forms by the engine, commands by the gate's judge."""

    def __init__(self, policy: Policy, stack: contextlib.ExitStack) -> None:
        self._policy = policy
        self._stack = stack
        self._judge: Judge | None = None

    def answer(self, number: int, line: bytes) -> bool:
        """Print the verdict on one line of input; tell whether it was an event."""
        try:
            click.echo(self._verdict(line))
        except EventError as error:
            click.echo(f"stdin:{number}:1: {error}", err=True)
            return False
        return True

    def _verdict(self, line: bytes) -> str:
        try:
            document = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise EventError(f"this is no JSON: {error}") from error
        event, facts = event_from(document, _day), facts_from(document)
        if event.event == "command" and watched_commands(self._policy):
            return self._ask(document)
        outcome = judge_event(self._policy, event, facts)
        return json.dumps(verdict_to(document.get("id"), outcome))

    def _ask(self, document: dict[str, Any]) -> str:
        if self._judge is None:
            folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="p4warden-"))
            file = Path(folder, compiled.FILE_NAME)
            file.write_text(compiled.dumps(self._policy), "utf-8")
            self._judge = self._stack.enter_context(judging(str(file)))
        return self._judge.ask(json.dumps(document).encode()).decode().rstrip("\n")


def _day(time_s: float | None) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time_s))
