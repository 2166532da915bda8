"""How a command answers: rows, lines and messages to the client, and questions it replies to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import MessageId, Said, client_message
from p4warden_sandbox.wire import Disconnected, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden_sandbox.wire import Wire

_DONE = "dm-Done"


class Reply:
    """The answer to one command, as it is being given.

    `tagged` tells whether the client asks for rows, `with_definitions` whether it wants the fields
    of a form defined in its row.
    """

    def __init__(self, wire: Wire, *, tagged: bool, with_definitions: bool) -> None:
        self._wire = wire
        self.tagged = tagged
        self.with_definitions = with_definitions

    def row(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Send one row of names and values; a tagged client makes a dictionary of it."""
        self._wire.write(Message((*pairs, ("func", "client-FstatInfo"))))

    def line(self, text: str, level: int = 0) -> None:
        """Send one line of plain output; the `p4` program writes `... ` before it once a level."""
        self._wire.write(Message.of("client-OutputInfo", {"level": str(level), "data": text}))

    def send(self, row: Mapping[str, str], text: str) -> None:
        """Send a row to a tagged client, a line of text to others."""
        if self.tagged:
            self.row(row.items())
        else:
            self.line(text)

    def text(self, text: str) -> None:
        """Send a text of many lines, such as a form."""
        self._wire.write(Message.of("client-OutputText", {"data": text}))

    def say(self, kind: MessageId, **values: str) -> None:
        """Send one message."""
        self.say_all((Said(kind, values),))

    def say_all(self, stack: Iterable[Said]) -> None:
        """Send a stack of messages, innermost cause first."""
        self._wire.write(client_message(*stack))

    def tell(self, func: str, values: dict[str, str]) -> None:
        """Have the client do something that it does not answer."""
        self._wire.write(Message.of(func, values))

    def ask(self, func: str, values: dict[str, str]) -> Message:
        """Have the client do something and return its answer, which it names as `confirm` says.

        Raises:
            Disconnected: no answer came.
        """
        self.tell(func, values)
        self._wire.flush()
        answer = self._wire.read()
        if answer.func != values["confirm"]:
            raise Disconnected
        return answer

    def exchange(self, requests: Iterable[Message]) -> list[Message]:
        """Have the client do several things and return all that it answers, in order.

        Some requests it answers not at all when they fail. Its echo of a last one tells that it
        is done (Perforce API source client/clientservice.cc, clientAck).

        Raises:
            Disconnected: it left before.
        """
        self._wire.write(*requests, Message.of("client-Ack", {"confirm": _DONE}))
        self._wire.flush()
        answers = []
        while (answer := self._wire.read()).func != _DONE:
            answers.append(answer)
        return answers
