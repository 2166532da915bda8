from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import MessageId, StackEntry, client_message
from p4warden_sandbox.messages import TRIGGER_OUTPUT
from p4warden_sandbox.wire import DisconnectedError, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from p4warden_sandbox.wire import Wire

_DONE = "dm-Done"


class Reply:
    """`with_definitions`: the row of a form includes the definition string of its fields."""

    def __init__(self, wire: Wire, *, tagged: bool, with_definitions: bool) -> None:
        self._wire = wire
        self.tagged = tagged
        self.with_definitions = with_definitions

    def row(self, pairs: Iterable[tuple[str, str]]) -> None:
        """A client without `-ztag` gets the fields as lines, as that of `p4 -ztag` shows them."""
        if self.tagged:
            self._wire.write(Message((*pairs, ("func", "client-FstatInfo"))))
        else:
            self.line("".join(f"... {name} {value}\n" for name, value in pairs))

    def line(self, text: str, level: int = 0) -> None:
        """The `p4` program writes `... ` before the line once for each level."""
        self._wire.write(Message.of("client-OutputInfo", {"level": str(level), "data": text}))

    def send(self, row: Mapping[str, str], text: str) -> None:
        if self.tagged:
            self.row(row.items())
        else:
            self.line(text)

    def text(self, text: str) -> None:
        self._wire.write(Message.of("client-OutputText", {"data": text}))

    def say(self, kind: MessageId, **values: str) -> None:
        self.say_all((StackEntry(kind, values),))

    def say_all(self, stack: Iterable[StackEntry]) -> None:
        """The innermost cause comes first."""
        self._wire.write(client_message(*stack))

    def trigger_outputs(self, outputs: Iterable[str]) -> None:
        for output in outputs:
            self.say(TRIGGER_OUTPUT, result=output)

    def call_client(self, func: str, values: dict[str, str]) -> None:
        self._wire.write(Message.of(func, values))

    def ask(self, func: str, values: dict[str, str]) -> Message:
        """`confirm` in `values` names the expected answer; another raises DisconnectedError."""
        self.call_client(func, values)
        self._wire.flush()
        answer = self._wire.read()
        if answer.func != values["confirm"]:
            raise DisconnectedError
        return answer

    def exchange(self, requests: Iterable[Message]) -> list[Message]:
        """Return the client's answers to several requests, in order.

        A failed request may get no answer, so a final request follows, whose echo shows that the
        client has finished (Perforce API source client/clientservice.cc, clientAck).
        """
        self._wire.write(*requests, Message.of("client-Ack", {"confirm": _DONE}))
        self._wire.flush()
        answers = []
        while (answer := self._wire.read()).func != _DONE:
            answers.append(answer)
        return answers
