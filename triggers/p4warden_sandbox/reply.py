"""Send the answer of a command: rows, lines, messages and requests to the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import MessageId, StackEntry, client_message
from p4warden_sandbox.wire import Disconnected, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden_sandbox.wire import Wire

_DONE = "dm-Done"


class Reply:
    """The answer to one command, while it is being sent.

    `tagged` tells whether the client wants rows, `with_definitions` whether a form's row must
    include the definition of the form's fields.
    """

    def __init__(self, wire: Wire, *, tagged: bool, with_definitions: bool) -> None:
        self._wire = wire
        self.tagged = tagged
        self.with_definitions = with_definitions

    def row(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Send one row of names and values, which a tagged client turns into a dictionary."""
        self._wire.write(Message((*pairs, ("func", "client-FstatInfo"))))

    def line(self, text: str, level: int = 0) -> None:
        """Send one line of plain output.

        The `p4` program writes `... ` before it for each level.
        """
        self._wire.write(Message.of("client-OutputInfo", {"level": str(level), "data": text}))

    def send(self, row: Mapping[str, str], text: str) -> None:
        """Send a row to a tagged client, a line of text to other clients."""
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
        """Send a request to the client that needs no answer."""
        self._wire.write(Message.of(func, values))

    def ask(self, func: str, values: dict[str, str]) -> Message:
        """Send a request to the client and wait for its answer.

        Among the values, `confirm` is the function name of the expected answer.

        Raises:
            Disconnected: the client left without an answer.
        """
        self.call_client(func, values)
        self._wire.flush()
        answer = self._wire.read()
        if answer.func != values["confirm"]:
            raise Disconnected
        return answer

    def exchange(self, requests: Iterable[Message]) -> list[Message]:
        """Send several requests to the client and return all its answers, in order.

        Some requests get no answer if they fail. The echo of a final request shows that the client
        has finished (Perforce API source client/clientservice.cc, clientAck).

        Raises:
            Disconnected: the client left before the end.
        """
        self._wire.write(*requests, Message.of("client-Ack", {"confirm": _DONE}))
        self._wire.flush()
        answers = []
        while (answer := self._wire.read()).func != _DONE:
            answers.append(answer)
        return answers
