"""Records of the experiments: recorded steps, and facts with their hypotheses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = 3
"""Severity from which on a message means that a command failed (Perforce API support/error.h)."""


class Call(NamedTuple):
    """One start of the recorder by a trigger line.

    Attributes:
        label: the label in the trigger line.
        words: the arguments behind the label, byte for byte.
        stdin: standard input.
        form: the content of the file that `--form=` names, None without such a file or if it
            cannot be read.
        mode: that file's mode, four octal digits, None without a readable file.
    """

    label: str
    words: tuple[bytes, ...] = ()
    stdin: bytes = b""
    form: bytes | None = None
    mode: str | None = None

    def value(self, option: str) -> bytes | None:
        """Return the value of the first word `--option=VALUE`, None if there is none."""
        start = f"--{option}=".encode()
        return next((w[len(start) :] for w in self.words if w.startswith(start)), None)


class ServerMessage(NamedTuple):
    """A message of the server: severity (1 info, 2 warning, 3 or more error), number, text."""

    severity: int
    number: int
    text: bytes


class Step(NamedTuple):
    """One command of an experiment, or one observation.

    Attributes:
        name: the step's name, unique in its experiment.
        calls: the triggers that ran, in the order of their starts.
        messages: the messages that the client got.
        rows: the rows of the command's output, each as text.
    """

    name: str
    calls: tuple[Call, ...] = ()
    messages: tuple[ServerMessage, ...] = ()
    rows: tuple[bytes, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the p4 command of this experiment step failed."""
        return any(message.severity >= FAILED for message in self.messages)

    @property
    def text(self) -> bytes:
        """The server's messages in this experiment step, one per line."""
        return b"\n".join(message.text for message in self.messages)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the triggers that ran in this experiment step."""
        return tuple(call.label for call in self.calls)


class Recording(NamedTuple):
    """The steps of one experiment by name.

    `trouble` is the reason why it did not finish, or None.
    """

    steps: Mapping[str, Step]
    trouble: str | None = None


class Fact(NamedTuple):
    """One question to a server, with the expectations before it is asked.

    Attributes:
        id: `EXPERIMENT.NAME`.
        question: the question in words.
        hypothesis: the expected value.
        accepted: the values under which every promise holds.
        promises: ids of the promises that are broken by any other value.
        variants: value to `NAME=VALUE` of the sandbox variant that behaves so.
        source: the source of the hypothesis.
        steps: names of the steps from which the value is derived.
    """

    id: str
    question: str
    hypothesis: str
    accepted: tuple[str, ...]
    promises: tuple[str, ...]
    variants: Mapping[str, str]
    source: str
    steps: tuple[str, ...]


class Experiment(NamedTuple):
    """An experiment's name, title, deadline in seconds, and facts.

    `without_value` is why a fact has no value although the experiment ended.
    """

    name: str
    title: str
    deadline_s: int
    facts: tuple[Fact, ...]
    without_value: str = "what was recorded shows no value"


class Finding(NamedTuple):
    """A fact, its observed value or None, its verdict, and the reason if there is no value."""

    fact: Fact
    value: str | None
    verdict: str
    reason: str | None = None
