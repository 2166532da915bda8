from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.changelists import common_path
from p4warden_sandbox.file_messages import SHELVE_REFUSED, SUBMIT_REFUSED
from p4warden_sandbox.message_stack import CommandError, in_context
from p4warden_sandbox.trigger_run import ChangeEvent, unread_messages

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call


class ChangeTriggers(NamedTuple):
    """`number` is that of the pending changelist; `files` are depot paths."""

    call: Call
    number: str
    files: tuple[str, ...]

    def fire(self, kind: str) -> None:
        """Run triggers of a type that can refuse the submit or shelve, with a CommandError."""
        try:
            outputs = self._run(kind, self.number)
        except CommandError as error:
            order = self.call.server.settings.variant("refusal-order")
            refusal = SHELVE_REFUSED if kind.startswith("shelve-") else SUBMIT_REFUSED
            raise in_context(error, order, refusal, change=self.number) from None
        self.call.reply.trigger_outputs(outputs)

    def fire_commit(self, kind: str, number: str) -> None:
        """These triggers cannot refuse the submit or shelve; `number` is the one it has then."""
        try:
            outputs = self._run(kind, number)
        except CommandError as error:
            outputs = unread_messages(error)
        self.call.reply.trigger_outputs(outputs)

    def _run(self, kind: str, number: str) -> list[str]:
        event = ChangeEvent(kind, number, self.number, common_path(self.files), self.files)
        return self.call.triggers.change(event, self.call.variables)
