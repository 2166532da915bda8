"""Perforce's numbered messages: their ids, codes, and the stacks in which they are sent.

A message's code packs severity, number of arguments, generic kind, subsystem and number (Perforce
API source support/error.h, ErrorOf). The client prints a stack from the last entry to the first;
an error's cause has index 0, and its context follows. Values are sent beside the format and are
never expanded again, even if they contain `%`.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from p4warden_sandbox.wire import Message

_VARIABLE = re.compile(r"%([A-Za-z]\w*)%", re.ASCII)


class Severity(IntEnum):
    """Severity of a Perforce message; the client classifies results, warnings and errors by it."""

    INFO = 1
    WARN = 2
    FAILED = 3


class Subsystem(IntEnum):
    """Subsystem of the Perforce server that defines a message (part of the message code)."""

    OS = 0
    SUPP = 1
    DB = 4
    DM = 6
    SERVER = 7
    SERVER2 = 18


class Generic(IntEnum):
    """Kind of error as the Perforce API classifies it, such as USAGE; part of a message's code."""

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
    """Id of a Perforce server message: subsystem, number, severity, generic kind, and its text.

    `format` is the text, with `%name%` for each argument.
    """

    subsystem: Subsystem
    number: int
    severity: Severity
    generic: Generic
    format: str

    @property
    def code(self) -> int:
        """Number that identifies a message in Perforce's protocol, packed from the id's parts."""
        arguments = len(set(_VARIABLE.findall(self.format)))
        return (
            self.severity << 28
            | arguments << 24
            | self.generic << 16
            | self.subsystem << 10
            | self.number
        )


class StackEntry(NamedTuple):
    """A message to send to a client: its id, and values by argument name for its text."""

    kind: MessageId
    values: dict[str, str]


class CommandError(Exception):
    """Error that ends a p4 command; its stack of messages, cause first, is sent to the client."""

    def __init__(self, kind: MessageId, **values: str) -> None:
        super().__init__(kind.format, values)
        self.stack: tuple[StackEntry, ...] = (StackEntry(kind, values),)

    def under(self, kind: MessageId, **values: str) -> CommandError:
        """Add a message to the p4 command's error as outer context; return the same error."""
        self.stack = (*self.stack, StackEntry(kind, values))
        return self


def in_context(error: CommandError, order: str, kind: MessageId, **values: str) -> CommandError:
    """Return a failed trigger's error with a message that names the refused form or submit.

    Args:
        error: the error of the trigger, which is changed and returned.
        order: value of the sandbox variant `refusal-order`: a client shows the added message
            before the error (`context-first`), after it (`context-last`), or not (`alone`).
        kind: id of the added message.
        values: values of the added message by argument name.
    """
    if order == "context-last":
        error.stack = (StackEntry(kind, values), *error.stack)
        return error
    return error if order == "alone" else error.under(kind, **values)


def client_message(*stack: StackEntry) -> Message:
    """Return the protocol message that makes a client print a stack of messages, cause first."""
    pairs: dict[str, str] = {}
    for index, message in enumerate(stack):
        pairs[f"code{index}"] = str(message.kind.code)
        pairs[f"fmt{index}"] = message.kind.format
    for message in stack:
        pairs.update(message.values)
    return Message.of("client-Message", pairs)
