"""`p4 passwd`, which is `p4 password` too: a user's password.

A client is asked for the new password in clear text, so that its strength can be judged; a real
server has it sent in its own cipher. That is why the question does not say "password": a client
answers such a one with a digest (Perforce API source client/clientservice.cc, clientPrompt).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import login
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    NO_SUCH_USER,
    PASSWORD_DELETED,
    PASSWORD_INVALID,
    PASSWORD_UPDATED,
    PASSWORDS_DIFFER,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_PASSWD = Usage("passwd [ user ]", refused="O:P:", most=1)
_NEW, _AGAIN = "Enter the new one: ", "Re-enter the new one: "


def passwd(call: Call) -> None:
    """Set the user's password; a super user sets that of others."""
    options = _PASSWD.read(call.request.arguments)
    user = options.arguments[0] if options.arguments else call.user
    if options.arguments:
        call.require_super()
    if call.store.find("user", user) is None:
        raise CommandError(NO_SUCH_USER, user=user)
    _check_old(call, user)
    new = _ask(call, _NEW, user)
    if new != _ask(call, _AGAIN, user):
        raise CommandError(PASSWORDS_DIFFER)
    call.server.accounts.set_password(call.store.fold(user), new)
    call.reply.say(PASSWORD_UPDATED if new else PASSWORD_DELETED)


def _check_old(call: Call, user: str) -> None:
    """Have users who have a password prove that they know it before they change it."""
    store = call.store
    if store.fold(user) != store.fold(call.user):
        return
    if not call.server.accounts.has_password(store.fold(user)):
        return
    if not login.password_given(call, user, "Enter old password: "):
        raise CommandError(PASSWORD_INVALID)


def _ask(call: Call, question: str, user: str) -> str:
    asked = {"data": question, "user": user, "confirm": "dm-Passwd"}
    return call.reply.ask("client-Prompt", asked).text("data")
