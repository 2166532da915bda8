"""`p4 protects`: two lines that can't be changed, write for everybody and super for one user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_PROTECTS = Usage("protects [ -a | -u user ] [ -m ]", "au:m", refused="g:h:sS", most=None)


def protects(call: Call) -> None:
    """Show the lines for a user, or with -m only the highest level; -u and -a need super."""
    options = _PROTECTS.read(call.request.arguments)
    if "u" in options or "a" in options:
        call.require_super()
    super_user = call.server.settings.super_user
    user = options.given.get("u", call.user)
    is_super = call.store.fold(user) == call.store.fold(super_user)
    if "m" in options:
        _send_level(call, "super" if is_super else "write")
        return
    _send_line(call, "write", "*")
    if is_super or "a" in options:
        _send_line(call, "super", super_user)


def _send_level(call: Call, level: str) -> None:
    if call.reply.tagged:
        call.reply.row([("permMax", level)])
    else:
        call.reply.line(level)


def _send_line(call: Call, level: str, user: str) -> None:
    if call.reply.tagged:
        pairs = {"perm": level, "host": "*", "user": user, "line": "", "depotFile": "//..."}
        call.reply.row(pairs.items())
    else:
        call.reply.line(f"{level} user {user} * //...")
