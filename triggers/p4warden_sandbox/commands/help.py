from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_TEXT = (
    "This is p4warden's sandbox, without p4d's help texts: it does what forms, submits and syncs "
    "need, and says of any other command or option that it does not do it."
)


def show_help(call: Call) -> None:
    """Handle `p4 help`, of any command or subject, with one line."""
    call.reply.line(_TEXT)
