"""What an experiment records, and what is known about it beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = 3
"""From this severity on a message says that a command failed (Perforce API support/error.h)."""


class Call(NamedTuple):
    """One start of the recorder by a trigger line.

    Attributes:
        label: which line, by the label in it.
        words: the arguments behind the label, byte for byte.
        stdin: standard input.
        form: the content of the file that `--form=` names, None where the line names none or the
            file cannot be read.
        mode: that file's mode, four octal digits, None likewise.
    """

    label: str
    words: tuple[bytes, ...] = ()
    stdin: bytes = b""
    form: bytes | None = None
    mode: str | None = None

    def value(self, option: str) -> bytes | None:
        """Return the value of the first word `--option=VALUE`, None where there is none."""
        start = f"--{option}=".encode()
        return next((w[len(start) :] for w in self.words if w.startswith(start)), None)


class Said(NamedTuple):
    """A message of the server: severity (1 info, 2 warning, 3 and more failed), number, text."""

    severity: int
    number: int
    text: bytes


class Step(NamedTuple):
    """One command of an experiment, or one thing looked at.

    Attributes:
        name: unique in its experiment.
        calls: the triggers that ran, in the order in which they began.
        said: the messages that the client got.
        rows: the rows of its output, each as text.
    """

    name: str
    calls: tuple[Call, ...] = ()
    said: tuple[Said, ...] = ()
    rows: tuple[bytes, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the command failed."""
        return any(said.severity >= FAILED for said in self.said)

    @property
    def text(self) -> bytes:
        """All messages, one below the other."""
        return b"\n".join(said.text for said in self.said)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the triggers that ran."""
        return tuple(call.label for call in self.calls)


class Recording(NamedTuple):
    """The steps of one experiment by name; `trouble` is why it did not end, in words."""

    steps: Mapping[str, Step]
    trouble: str | None = None


class Fact(NamedTuple):
    """One question to a server, with everything that was known before it was asked.

    Attributes:
        id: `EXPERIMENT.NAME`.
        question: in words.
        hypothesis: the expected value.
        accepted: the values under which every promise holds.
        promises: ids of the promises that fall with any other value.
        variants: value to `NAME=VALUE` of the sandbox's variant that behaves so.
        source: where the hypothesis comes from.
        steps: names of the steps that the value is read from.
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
    """A fact, the value that was found or None, its verdict, and the reason where it has none."""

    fact: Fact
    value: str | None
    verdict: str
    reason: str | None = None
