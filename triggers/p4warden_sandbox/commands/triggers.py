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
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.specs import Spec


class TriggersCommand(FormCommand):
    form = TRIGGERS
    usage = Usage("triggers [ -i | -o ]", "io")
    saved_message = TRIGGERS_SAVED
    unchanged_message = TRIGGERS_UNCHANGED
    only_super_writes = True

    def __call__(self, call: Call) -> None:
        """Super users only, even for reading (`p4 help triggers`)."""
        call.require_super()
        super().__call__(call)

    def propose(self, request: FormRequest) -> Spec:
        return request.call.store.triggers

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """A form without `Triggers:` does not empty the table (release notes 2018.1).

        The message for that case is inferred.
        """
        if "Triggers" not in new.values:
            raise CommandError(FIELD_MISSING, field="Triggers")
        trigger_table.check(new)
        server = request.call.server
        check_set(new, server.settings, server.files)
        return new
