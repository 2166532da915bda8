from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    INVALID_TYPE,
    NO_LAST_SUPER,
    NOT_IN_SANDBOX,
    PROTECTIONS_SAVED,
    PROTECTIONS_UNCHANGED,
)
from p4warden_sandbox.protections import LEVELS, SUPER, Protection
from p4warden_sandbox.seed import new_protections
from p4warden_sandbox.specdefs import PROTECT
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.specs import Spec


class ProtectCommand(FormCommand):
    form = PROTECT
    usage = Usage("protect [ -i | -o ]", "io")
    saved_message = PROTECTIONS_SAVED
    unchanged_message = PROTECTIONS_UNCHANGED
    only_super_writes = True

    def __call__(self, call: Call) -> None:
        """Super users only, even for reading (`p4 help protect`)."""
        call.require_super()
        super().__call__(call)

    def propose(self, request: FormRequest) -> Spec:
        return new_protections(request.call.user)

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request  # `request` is unused: only the protections table is checked
        lines = [Protection.of(line) for line in new.lines("Protections")]
        for line in lines:
            _check(line)
        if not any(line.level == SUPER and line.path == "//..." for line in lines):
            raise CommandError(NO_LAST_SUPER)
        return new


def _check(line: Protection) -> None:
    if line.level not in LEVELS:
        raise CommandError(INVALID_TYPE, type="protection mode", arg=line.level)
    if line.kind not in {"user", "group"}:
        raise CommandError(INVALID_TYPE, type="protection type", arg=line.kind)
    if not line.path.removeprefix("-").startswith("//"):
        raise CommandError(NOT_IN_SANDBOX, what=f"protect with path {line.path}")
