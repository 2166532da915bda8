"""`p4 triggers`: the table itself. Only the super user may see or write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import trigger_table
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import FIELD_MISSING, TRIGGERS_SAVED, TRIGGERS_UNCHANGED
from p4warden_sandbox.specdefs import TRIGGERS
from p4warden_sandbox.trigger_set import check_set
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import Wanted
    from p4warden_sandbox.specs import Spec


class TriggersCommand(FormCommand):
    """The form of the triggers table."""

    form = TRIGGERS
    usage = Usage("triggers [ -i | -o ]", "io")
    saved = TRIGGERS_SAVED
    unchanged = TRIGGERS_UNCHANGED
    only_super_writes = True

    def __call__(self, call: Call) -> None:
        """Run the command, reading included, for the super user only (`p4 help triggers`)."""
        call.require_super()
        super().__call__(call)

    def propose(self, wanted: Wanted) -> Spec:
        """Return the empty table."""
        return wanted.call.store.triggers

    def check(self, wanted: Wanted, new: Spec) -> Spec:
        """Return the table when its rows are sound.

        A form without the line `Triggers:` does not empty the table (release notes 2018.1); that
        the message is this one is inferred.
        """
        if "Triggers" not in new.values:
            raise CommandError(FIELD_MISSING, field="Triggers")
        trigger_table.check(new)
        server = wanted.call.server
        check_set(new, server.settings, server.files)
        return new
