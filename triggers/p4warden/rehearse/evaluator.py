"""Evaluator of JSON events: the gate judges commands that a rule covers, the engine all others."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.asking.gate_program import GateError
from p4warden.core.errors import P4WardenError
from p4warden.core.records import no_directories
from p4warden.history.local_time import local_day
from p4warden.home import span_program
from p4warden.judge import refusal
from p4warden.judge.engine import evaluate, max_files
from p4warden.judge.view_question import question, used_question
from p4warden.policy import compiled
from p4warden.rehearse.event_lines import (
    EventError,
    event_from,
    facts_from,
    unjudged_document,
    verdict_to,
)
from p4warden.rehearse.gate_process import GateJudge, judging
from p4warden.table.trigger_lines import subscribed_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event, Facts
    from p4warden.policy.compiled import Policy

_PLACE = re.compile(r" at line 1 column \d+$")
"""Pattern of the position that the gate adds to an error text; it refers to the line sent to the
gate, not to the user's input."""


class DefectError(EventError):
    """Error: an internal error of p4warden prevented judging an event.

    Attributes:
        answer: the verdict `unknown` on the event, as JSON text like the evaluator's verdicts.
    """

    def __init__(self, identity: object, defect: Exception) -> None:
        cause = f"p4warden failed on this event: {type(defect).__name__}: {defect}"
        super().__init__(" ".join(cause.split()))
        self.answer = json.dumps(unjudged_document(identity, str(self)))


class Evaluator:
    def __init__(
        self, policy: Policy, exit_stack: contextlib.ExitStack, index: str | None, *, texts: bool
    ) -> None:
        self._policy = policy
        self._texts = texts
        self._index = index
        self._commands = subscribed_commands(policy)
        self._exit_stack = exit_stack
        self._judge: GateJudge | None = None

    def answer(self, line: bytes) -> str:
        """Return the verdict on one event; both are JSON objects on one line.

        Raises:
            EventError: the line is not an event.
            DefectError: p4warden failed to judge the event; the error contains the verdict
                `unknown`.
            GateError: the gate is needed for a command, but is not installed or cannot be started.
        """
        try:
            document = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise EventError(f"invalid JSON: {error}") from error
        try:
            event, facts = event_from(document, local_day), facts_from(document)
            if event.event == "command" and self._is_judged(document["command"]):
                return self._ask(document.get("id"), line)
            return json.dumps(self._evaluate(document.get("id"), event, facts))
        except (EventError, P4WardenError):
            raise
        except Exception as defect:
            identity = document.get("id") if isinstance(document, dict) else None
            raise DefectError(identity, defect) from defect

    def _evaluate(self, identity: object, event: Event, facts: Facts) -> dict[str, Any]:
        facts = self._with_index(event, facts)
        outcome = evaluate(self._policy, event, facts)
        answer = verdict_to(identity, outcome)
        if max_files(self._policy, event, facts) is not None and facts.spanned_files:
            answer["value"] = facts.spanned_files.files
        if self._texts:
            is_refused = outcome.verdict == "refuse"
            text = is_refused and refusal.refusal(
                self._policy, event, outcome, unicode=facts.unicode
            )
            answer["text"] = text or None
        return answer

    def _with_index(self, event: Event, facts: Facts) -> Facts:
        if self._index is None:
            return facts
        if facts.used_directories is no_directories:
            facts = facts._replace(used_directories=partial(self._used_directories, event, facts))
        view_question = question(self._policy, event, facts)
        if view_question is None:
            return facts
        with contextlib.suppress(span_program.NoIndexAnswerError):
            return facts._replace(
                spanned_files=span_program.spanned_in_file(self._index, view_question)
            )
        return facts

    def _used_directories(self, event: Event, facts: Facts) -> tuple[str, ...]:
        question = used_question(self._policy, event, facts)
        with contextlib.suppress(span_program.NoIndexAnswerError):
            return span_program.used_in_file(self._index or "", question)
        return ()

    def _is_judged(self, command: str) -> bool:
        return command.removeprefix("user-") in self._commands

    def _ask(self, identity: object, line: bytes) -> str:
        if self._judge is None:
            folder = self._exit_stack.enter_context(
                tempfile.TemporaryDirectory(prefix="p4warden-")
            )
            file = Path(folder, compiled.FILE_NAME)
            file.write_text(compiled.dumps(self._policy), "utf-8")
            self._judge = self._exit_stack.enter_context(
                judging(str(file), self._index, texts=self._texts)
            )
        try:
            answer = self._judge.ask(line).decode().rstrip("\n")
        except GateError as error:
            # the gate process died; the next command starts a new one, which knows no earlier
            # rates
            self._judge = None
            raise DefectError(identity, error) from error
        document = json.loads(answer)
        if "verdict" not in document:
            raise EventError(_PLACE.sub("", document["error"]))
        return answer


@contextlib.contextmanager
def evaluating(
    policy: Policy, index: str | None = None, *, texts: bool = False
) -> Iterator[Evaluator]:
    """Context manager: an object that judges events by a policy, until the context ends.

    `index` is the path of a checkpoint index, for estimates and proposals. With `texts` the
    verdicts contain the text of the refusal.
    """
    with contextlib.ExitStack() as exit_stack:
        yield Evaluator(policy, exit_stack, index, texts=texts)
