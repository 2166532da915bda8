"""Records for experiments on a p4d: recorded steps, and facts with their hypotheses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = 3
"""Severity from which on a server message means that the p4 command failed (Perforce API
support/error.h)."""


NOT_ASKED = b"not asked"
"""First row of a step that cannot be carried out on this p4d; the second row is the reason."""


class Call(NamedTuple):
    """One recorded trigger call in an experiment on p4d.

    Attributes:
        label: the label in the trigger line.
        words: the arguments after the label, as bytes.
        stdin: the trigger's standard input.
        form: the content of the file that `--form=` names; None without such a file, or if it
            cannot be read.
        mode: the mode of the form file, four octal digits; None without a readable file.
    """

    label: str
    words: tuple[bytes, ...] = ()
    stdin: bytes = b""
    form: bytes | None = None
    mode: str | None = None

    def value(self, option: str) -> bytes | None:
        """Return VALUE of the first `--option=VALUE` among the trigger's arguments, or None."""
        start = f"--{option}=".encode()
        return next((w[len(start) :] for w in self.words if w.startswith(start)), None)


class ServerMessage(NamedTuple):
    """A message from p4d: severity (1 info, 2 warning, 3 or more error), message number, text."""

    severity: int
    number: int
    text: bytes


class Step(NamedTuple):
    """One p4 command of an experiment, or one observation.

    Attributes:
        name: the step's name, unique in its experiment.
        calls: the trigger calls during the command, in the order of their starts; for an
            observation those since the last recorded command began.
        messages: the messages that the client got from the server; none for an observation.
        rows: the rows of the command's output, or the observation, each as bytes.
    """

    name: str
    calls: tuple[Call, ...] = ()
    messages: tuple[ServerMessage, ...] = ()
    rows: tuple[bytes, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Whether the p4 command of this experiment step failed."""
        return any(message.severity >= FAILED for message in self.messages)

    @property
    def text(self) -> bytes:
        """The server's messages in this experiment step, one per line."""
        return b"\n".join(message.text for message in self.messages)

    @property
    def was_asked(self) -> bool:
        """Whether this experiment step could be carried out on this p4d."""
        return self.rows[:1] != (NOT_ASKED,)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the triggers that ran in this experiment step."""
        return tuple(call.label for call in self.calls)


class Recording(NamedTuple):
    """The recorded steps of one experiment on p4d, by step name.

    `trouble` is the reason why the experiment did not finish, or None.
    """

    steps: Mapping[str, Step]
    trouble: str | None = None


class Fact(NamedTuple):
    """One question about p4d's behaviour, with the answer that is expected before asking.

    Attributes:
        id: `EXPERIMENT.NAME`.
        question: the question in words.
        hypothesis: the expected value.
        accepted_values: the values with which every promise of p4warden holds.
        promises: ids of p4warden's promises that are broken by any other value.
        variants: for some values of the fact, `NAME=VALUE` of the sandbox variant that behaves so.
        source: the source of the hypothesis.
        steps: names of the experiment's steps from which the value is derived.
    """

    id: str
    question: str
    hypothesis: str
    accepted_values: tuple[str, ...]
    promises: tuple[str, ...]
    variants: Mapping[str, str]
    source: str
    steps: tuple[str, ...]


class Experiment(NamedTuple):
    """One experiment on p4d: name, title, deadline in seconds, and facts to find out.

    `without_value` is the reason reported for a fact without value although the experiment ended.
    """

    name: str
    title: str
    deadline_s: int
    facts: tuple[Fact, ...]
    without_value: str = "the recording shows no value"


class Finding(NamedTuple):
    """The verdict on a fact about p4d, with the value that the experiment showed.

    `verdict` is one of the names in `judge`. `value` is None if the experiment showed no value;
    `reason` then says why.
    """

    fact: Fact
    value: str | None
    verdict: str
    reason: str | None = None
