from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import PROTECTIONS_EMPTY
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.protections import Protection

_PROTECTS = Usage(
    "protects [ -a | -u user ] [ -m ]", "au:m", refused_options="g:h:sS", max_arguments=None
)


def protects(call: Call) -> None:
    """Handle `p4 protects`: list lines for a user or all (-a), or the highest level (-m)."""
    options = _PROTECTS.read(call.request.arguments)
    if "u" in options or "a" in options:
        call.require_super()
    store = call.store
    user = options.values.get("u", call.user)
    groups = store.groups_of(user)
    table = store.protections
    if not table.lines:
        raise CommandError(PROTECTIONS_EMPTY)
    if "m" in options:
        call.reply.row([("permMax", table.level(user, groups) or "none")])
        return
    for line in table.lines if "a" in options else table.matching(user, groups):
        _send_line(call, line)


def _send_line(call: Call, line: Protection) -> None:
    is_group = {"isgroup": ""} if line.kind == "group" else {}
    unmap = {"unmap": ""} if line.path.startswith("-") else {}
    pairs = {"perm": line.level, "host": line.host, "user": line.name, **is_group, "line": ""}
    call.reply.row({**pairs, "depotFile": line.path.lstrip("-"), **unmap}.items())
