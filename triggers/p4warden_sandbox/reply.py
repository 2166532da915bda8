"""Send a client the reply to a p4 command: rows, lines, messages and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import MessageId, StackEntry, client_message
from p4warden_sandbox.wire import DisconnectedError, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden_sandbox.wire import Wire

_DONE = "dm-Done"


class Reply:
    """Sender of the reply to one p4 command.

    `tagged` tells whether the client wants tagged rows, `with_definitions` whether the row of a
    form must include the definition string of the form's fields.
    """

    def __init__(self, wire: Wire, *, tagged: bool, with_definitions: bool) -> None:
        self._wire = wire
        self.tagged = tagged
        self.with_definitions = with_definitions

    def row(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Send the client a tagged row of names and values, a dictionary in P4Python."""
        self._wire.write(Message((*pairs, ("func", "client-FstatInfo"))))

    def line(self, text: str, level: int = 0) -> None:
        """Send the client one line of plain output.

        The `p4` program writes `... ` before the line once for each level.
        """
        self._wire.write(Message.of("client-OutputInfo", {"level": str(level), "data": text}))

    def send(self, row: Mapping[str, str], text: str) -> None:
        """Send a tagged row to a client with tagged output, a line of text to other clients."""
        if self.tagged:
            self.row(row.items())
        else:
            self.line(text)

    def text(self, text: str) -> None:
        """Send the client a text of several lines, such as a form."""
        self._wire.write(Message.of("client-OutputText", {"data": text}))

    def say(self, kind: MessageId, **values: str) -> None:
        """Send the client one numbered Perforce message, with values for its text."""
        self.say_all((StackEntry(kind, values),))

    def say_all(self, stack: Iterable[StackEntry]) -> None:
        """Send the client a stack of numbered messages, the innermost cause first."""
        self._wire.write(client_message(*stack))

    def call_client(self, func: str, values: dict[str, str]) -> None:
        """Send the client a request, and do not wait for an answer."""
        self._wire.write(Message.of(func, values))

    def ask(self, func: str, values: dict[str, str]) -> Message:
        """Send the client a request and return its answer.

        `confirm` in `values` is the function name of the expected answer.

        Raises:
            DisconnectedError: the client disconnected, or sent another message.
            WireError: the client violated the protocol.
        """
        self.call_client(func, values)
        self._wire.flush()
        answer = self._wire.read()
        if answer.func != values["confirm"]:
            raise DisconnectedError
        return answer

    def exchange(self, requests: Iterable[Message]) -> list[Message]:
        """Send the client several requests; return its answers, in order.

        A failed request may get no answer, so a final request follows, whose echo shows that the
        client has finished (Perforce API source client/clientservice.cc, clientAck).

        Raises:
            DisconnectedError: the client disconnected before the end.
            WireError: the client violated the protocol.
        """
        self._wire.write(*requests, Message.of("client-Ack", {"confirm": _DONE}))
        self._wire.flush()
        answers = []
        while (answer := self._wire.read()).func != _DONE:
            answers.append(answer)
        return answers
