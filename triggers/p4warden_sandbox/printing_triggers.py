# What a careless tool's triggers print on success (variant `other-triggers`). The texts look like
# answers: a table that would remove all triggers, a lone `...`, tagged output, a deleted client.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden_sandbox.settings import Settings
    from p4warden_sandbox.wire import Message

FORM_OUT = (
    "# A Perforce Triggers Specification.\n\nTriggers:\n\tprinted command pre-user-sync$ fail\n\n"
    "Client:\tprinted\n\nView:\n\t//printed/... //printed/...\n\n"
    "Protections:\n\tlist user * * //..."
)
BEFORE = "checked\n...\nTriggers:\n... depotFile //printed/file\n... action add"
AMONG = "1%"
AFTER = "Client printed deleted.\n... name printed"
_PROGRAM = "p4warden"
"""P4Python adds its own name and release to a program's."""


def do_print(settings: Settings, request: Message) -> bool:
    """Tell whether other tools' triggers print for a command."""
    is_asking = request.text("prog").split(" ")[0] == _PROGRAM
    return is_asking and settings.behaves("other-triggers", "print")


class PrintedReply(Reply):
    """A reply with the text of a trigger behind its first row."""

    _has_printed = False

    def row(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().row(pairs)
        if not self._has_printed:
            self._has_printed = True
            self.trigger_outputs([AMONG])
