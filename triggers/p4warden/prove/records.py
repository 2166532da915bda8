from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FAILED = 3
"""Severity from which on a p4 command has failed (Perforce API support/error.h)."""

NOT_ASKED = b"not asked"
"""First row of a step that cannot be carried out on this p4d; the second row is the reason."""

HOLDS = "holds"
TOLERATED = "differs but tolerated"
BREAKS = "breaks a promise"
INCONCLUSIVE = "inconclusive"
UNASKED = "not asked"


class Call(NamedTuple):
    """`words` are those after the label in the trigger line.

    `form` is the content of the file that `--form=` names, `mode` its mode as four octal digits;
    None without such a file, or if it cannot be read.
    """

    label: str
    words: tuple[bytes, ...] = ()
    stdin: bytes = b""
    form: bytes | None = None
    mode: str | None = None

    def value(self, option: str) -> bytes | None:
        """Return VALUE of the first `--option=VALUE`."""
        start = f"--{option}=".encode()
        return next((w[len(start) :] for w in self.words if w.startswith(start)), None)


class ServerMessage(NamedTuple):
    """`severity` is 1 for info, 2 for a warning, 3 or more for an error."""

    severity: int
    number: int
    text: bytes


class Step(NamedTuple):
    """One p4 command, or one observation, which has no messages.

    `calls` are in the order of their starts; for an observation those since the last recorded
    command began. `rows` are the command's output, or the observation.
    """

    name: str
    calls: tuple[Call, ...] = ()
    messages: tuple[ServerMessage, ...] = ()
    rows: tuple[bytes, ...] = ()

    @property
    def has_failed(self) -> bool:
        return any(message.severity >= FAILED for message in self.messages)

    @property
    def text(self) -> bytes:
        return b"\n".join(message.text for message in self.messages)

    @property
    def output(self) -> bytes:
        return b"\n".join(self.rows)

    @property
    def was_asked(self) -> bool:
        return self.rows[:1] != (NOT_ASKED,)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(call.label for call in self.calls)


class Recording(NamedTuple):
    """`trouble` is the reason why the experiment did not finish, or None."""

    steps: Mapping[str, Step]
    trouble: str | None = None


class Fact(NamedTuple):
    """`id` is `EXPERIMENT.NAME`; `promises` are broken by values that are not accepted.

    `variants` are `NAME=VALUE` of the sandbox for some values of the fact; `source` is that of the
    hypothesis; `steps` are those from which the value is derived.
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
    """`without_value` is reported for a fact without value although the experiment ended."""

    name: str
    title: str
    deadline_s: int
    facts: tuple[Fact, ...]
    without_value: str = "the recording shows no value"


class Finding(NamedTuple):
    """`verdict` is such as `HOLDS`; `value` is None without one, and `reason` then says why."""

    fact: Fact
    value: str | None
    verdict: str
    reason: str | None = None
