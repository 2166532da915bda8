"""Parse and judge a form within limited processor time; exceeding the limit is a finding."""

from __future__ import annotations

from p4warden.core.effort import OutOfTimeError
from p4warden.core.errors import P4WardenError
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import Form
from p4warden.forms.form_parser import MAX_FORM_BYTES, parse
from p4warden.judge.engine import evaluate, max_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.records import Event, Facts, Outcome, SpannedFiles
    from p4warden.judge.view_question import Question
    from p4warden.policy.compiled import Policy
    from p4warden.worker.processor_time import Allowance

LARGE_CHARACTERS = 256 * 1024
"""Number of characters above which a form is large: it may have to wait before it is parsed,
because only a few workers judge large forms at the same time."""


class FormText:
    """The text of a trigger event's form, to be parsed and judged in limited time."""

    def __init__(
        self,
        text: str | None,
        allowance: Allowance,
        span: Callable[[Question], SpannedFiles | None] = lambda _: None,
        find_directories: Callable[[Policy, Event, Facts], tuple[str, ...]] = lambda *_: (),
        client_exists: Callable[[], bool | None] | None = None,
    ) -> None:
        """Prepare to parse and judge the text of a form.

        Args:
            text: the form's text; None for an event without one.
            allowance: the limit of processor time.
            span: looks up the number of files that a view spans; returns None without an index.
            find_directories: looks up the depot directories from which a client or its user has
                files.
            client_exists: looks up whether the server had the event's client before; None without
                an index.
        """
        self._text, self._allowance = text, allowance
        self._span, self._find_directories = span, find_directories
        self._client_exists = client_exists
        self._problem: str | None = None
        self._trouble: str | None = None
        self._used_directories: tuple[str, ...] | None = None

    @property
    def is_to_be_read(self) -> bool:
        """Whether the form is to be parsed; False once it exceeded a time limit."""
        return self._problem is None

    def wait(self) -> None:
        """Wait for a turn if this form is large, because few workers may judge such forms at once.

        A form that gets no turn in time is not parsed. Neither is a form of more than
        `MAX_FORM_BYTES` characters, which does not wait.
        """
        if self._text is None or not LARGE_CHARACTERS < len(self._text) <= MAX_FORM_BYTES:
            return
        try:
            self._allowance.wait()
        except OutOfTimeError as problem:
            self._problem = str(problem)

    def judged(self, policy: Policy, event: Event, facts: Facts) -> tuple[Event, Outcome]:
        """Parse the form and judge the event.

        Return the event with its parsed form, and the outcome.
        """
        if self._text is None:
            return event, evaluate(policy, event, facts)
        if self._problem is None:
            try:
                text = self._text
                return self._allowance.within(lambda: self._judged(text, policy, event, facts))
            except OutOfTimeError as problem:
                self._allowance.stop()
                self._problem = str(problem)
        unread_event = event._replace(form=Form({}, self._problem))
        return unread_event, evaluate(policy, unread_event, facts)

    def _judged(
        self, text: str, policy: Policy, event: Event, facts: Facts
    ) -> tuple[Event, Outcome]:
        complete_event = event._replace(form=parse(text))
        facts = facts._replace(
            used_directories=lambda: self._directories(policy, complete_event, facts)
        )
        if self._client_exists:
            facts = facts._replace(client_exists=self._exists)
        if max_files(policy, event, facts) is not None:
            facts = self._with_span(policy, complete_event, facts)
        outcome = evaluate(policy, complete_event, facts)
        return complete_event, outcome._replace(trouble=outcome.trouble or self._trouble)

    def _with_span(self, policy: Policy, event: Event, facts: Facts) -> Facts:
        from p4warden.judge.view_question import question  # noqa: PLC0415 - few policies ask

        view_question = question(policy, event, facts)
        try:
            return (
                facts._replace(spanned_files=self._span(view_question)) if view_question else facts
            )
        except P4WardenError as error:
            self._trouble = str(error)
            return facts

    def _exists(self) -> bool | None:
        try:
            return self._client_exists() if self._client_exists else None
        except P4WardenError as error:
            self._trouble = str(error)
            return None

    def _directories(self, policy: Policy, event: Event, facts: Facts) -> tuple[str, ...]:
        """Return the depot directories from which the client or its user has files.

        They are looked up in the index once. Empty without an index that can be read.
        """
        if self._used_directories is None:
            self._used_directories = ()
            try:
                self._used_directories = self._find_directories(policy, event, facts)
            except P4WardenError as error:
                self._trouble = str(error)
        return self._used_directories
