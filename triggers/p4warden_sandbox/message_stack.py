"""Perforce's numbered messages: how their codes are made, and the stack they travel in.

A message's code packs severity, number of arguments, generic kind, subsystem and number (Perforce
API source support/error.h, ErrorOf). The client prints a stack from the last entry to the first,
so the innermost cause has index 0. Values travel beside the format and are never expanded again,
even where they hold `%`.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from p4warden_sandbox.wire import Message

_VARIABLE = re.compile(r"%([A-Za-z]\w*)%", re.ASCII)


class Severity(IntEnum):
    """How bad a message is; the client makes results, warnings and errors of it."""

    INFO = 1
    WARN = 2
    FAILED = 3


class Subsystem(IntEnum):
    """Which part of the server speaks."""

    OS = 0
    SUPP = 1
    DB = 4
    DM = 6
    SERVER = 7
    SERVER2 = 18


class Generic(IntEnum):
    """The kind of trouble, as the API classifies it."""

    NONE = 0x00
    USAGE = 0x01
    UNKNOWN = 0x02
    CONTEXT = 0x03
    ILLEGAL = 0x04
    NOT_YET = 0x05
    PROTECT = 0x06
    EMPTY = 0x11
    FAULT = 0x21
    CLIENT = 0x22
    ADMIN = 0x23
    CONFIG = 0x24
    TOO_BIG = 0x27


class MessageId(NamedTuple):
    """One kind of message. `format` holds `%name%` for each value."""

    subsystem: Subsystem
    number: int
    severity: Severity
    generic: Generic
    format: str

    @property
    def code(self) -> int:
        """The number that identifies it on the wire."""
        arguments = len(set(_VARIABLE.findall(self.format)))
        return (
            self.severity << 28
            | arguments << 24
            | self.generic << 16
            | self.subsystem << 10
            | self.number
        )


class Said(NamedTuple):
    """A kind of message with its values."""

    kind: MessageId
    values: dict[str, str]


class CommandError(Exception):
    """A command cannot go on; its stack goes to the client. The innermost cause comes first."""

    def __init__(self, kind: MessageId, **values: str) -> None:
        super().__init__(kind.format, values)
        self.stack: tuple[Said, ...] = (Said(kind, values),)

    def under(self, kind: MessageId, **values: str) -> CommandError:
        """Return this error with one more line of context around it."""
        self.stack = (*self.stack, Said(kind, values))
        return self


def in_context(error: CommandError, order: str, kind: MessageId, **values: str) -> CommandError:
    """Return a trigger's refusal with the line that names the refused command or form.

    Args:
        error: the refusal.
        order: a value of the variant `refusal-order`: a client shows that line before the refusal,
            after it, or not at all.
        kind: that line.
        values: its values.
    """
    if order == "context-last":
        error.stack = (Said(kind, values), *error.stack)
        return error
    return error if order == "alone" else error.under(kind, **values)


def client_message(*stack: Said) -> Message:
    """Return the message that shows a stack, innermost cause first, at the client."""
    pairs: dict[str, str] = {}
    for index, said in enumerate(stack):
        pairs[f"code{index}"] = str(said.kind.code)
        pairs[f"fmt{index}"] = said.kind.format
    for said in stack:
        pairs.update(said.values)
    return Message.of("client-Message", pairs)
