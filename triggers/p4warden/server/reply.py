"""The one place that keeps apart what a server sends for a command: rows, text and messages.

p4d passes on what a trigger prints when it allows a command, as a message before, after or among
the rows (release notes 2007.3). In P4Python's lists it would be mixed with the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import P4

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]

_TRIGGER_OUTPUT = (7 << 10) | 362
"""`%result%`, the text of a trigger that allowed its event (msgs/msgserver.cc 362)."""


class Reply(P4.OutputHandler):
    """`text` has what a command without rows shows, such as a form, in pieces of str or bytes."""

    def __init__(self, visit: Callable[[Row], object]) -> None:
        super().__init__()
        self._visit = visit
        self._problem: Exception | None = None
        self.text: list[Any] = []

    def receive(self, p4: P4.P4, command: str, *arguments: str | bytes, **settings: Any) -> None:
        """Run a p4 command, and pass its rows on to `visit`, one by one.

        Raises:
            P4.P4Exception: the server refuses.
            P4WardenError: P4Python cannot read the answer.
            Exception: that of `visit`, after which no further row is passed on.
        """
        with p4.using_handler(self):
            _run(p4, command, *arguments, **settings)
        if self._problem:
            raise self._problem

    def outputStat(self, h: Row) -> int:  # noqa: N802 - P4Python's name
        """P4Python would swallow an exception, so it is raised after the command has ended."""
        try:
            self._visit(h)
        except Exception as problem:  # noqa: BLE001 - P4Python would swallow it
            self._problem = self._problem or problem
            return self.HANDLED | self.CANCEL
        return self.HANDLED

    def outputText(self, h: Any) -> int:  # noqa: N802 - P4Python's name
        self.text.append(h)
        return self.HANDLED

    outputBinary = outputText  # noqa: N815 - P4Python's name


class Messages(NamedTuple):
    """What the server itself said, and what triggers printed, each in order."""

    said: list[str]
    printed: list[str]


def messages(p4: P4.P4, command: str, *arguments: str | bytes, **settings: Any) -> Messages:
    """Run a p4 command and return its messages, which P4Python gives numbers without a handler."""
    _run(p4, command, *arguments, **settings)
    infos = [one for one in p4.messages if one.severity == P4.P4.E_INFO]
    return Messages(
        [str(one) for one in infos if one.msgid != _TRIGGER_OUTPUT],
        [str(one) for one in infos if one.msgid == _TRIGGER_OUTPUT],
    )


def _sendable(argument: str | bytes) -> str | bytes:
    """Return text that is not UTF-8 as bytes, because it ends P4Python with a signal."""
    if isinstance(argument, bytes):
        return argument
    content = argument.encode("utf-8", "surrogateescape")
    return argument if content.decode("utf-8", "replace") == argument else content


def _run(p4: P4.P4, command: str, *arguments: str | bytes, **settings: Any) -> None:
    try:
        p4.run(command, *map(_sendable, arguments), **settings)
    except (SystemError, TypeError, ValueError) as error:
        cause = " ".join(str(error.__cause__ or error).split())
        line = f"{p4.port}: P4Python cannot read the answer to p4 {command}: {cause}"
        raise P4WardenError(line) from error
