# A message's code packs severity, number of arguments, generic kind, subsystem and number
# (Perforce API source support/error.h, ErrorOf). The client prints a stack from the last entry to
# the first; an error's cause has index 0, and its context follows. Values are sent beside the
# format and are never expanded again, even if they contain `%`.

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from p4warden_sandbox.wire import Message

_VARIABLE = re.compile(r"%([A-Za-z]\w*)%", re.ASCII)


class Severity(IntEnum):
    INFO = 1
    WARN = 2
    FAILED = 3


class Subsystem(IntEnum):
    OS = 0
    SUPP = 1
    DB = 4
    DM = 6
    SERVER = 7
    SERVER2 = 18


class Generic(IntEnum):
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
    """`format` has `%name%` for each argument."""

    subsystem: Subsystem
    number: int
    severity: Severity
    generic: Generic
    format: str

    @property
    def code(self) -> int:
        arguments = len(set(_VARIABLE.findall(self.format)))
        return (
            self.severity << 28
            | arguments << 24
            | self.generic << 16
            | self.subsystem << 10
            | self.number
        )


class StackEntry(NamedTuple):
    kind: MessageId
    values: dict[str, str]


class CommandError(Exception):
    """Ends a p4 command; the client gets its stack of messages, cause first."""

    def __init__(self, kind: MessageId, **values: str) -> None:
        super().__init__(kind.format, values)
        self.stack: tuple[StackEntry, ...] = (StackEntry(kind, values),)

    def under(self, kind: MessageId, **values: str) -> CommandError:
        """Return the same error with a message as outer context."""
        self.stack = (*self.stack, StackEntry(kind, values))
        return self


def in_context(error: CommandError, order: str, kind: MessageId, **values: str) -> CommandError:
    """Return the same error with a message where `order` (variant `refusal-order`) puts it."""
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
