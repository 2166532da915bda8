# The client sends the new password in clear text, so that the sandbox can judge its strength; with
# a real server it is encrypted. Therefore the prompt avoids the word "password": a client answers
# a prompt with that word by a digest (Perforce API source client/clientservice.cc, clientPrompt).

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import access, login
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    NO_SUCH_USER,
    PASSWORD_DELETED,
    PASSWORD_INVALID,
    PASSWORD_UPDATED,
    PASSWORDS_DIFFER,
    SUPER_SETS_PASSWORD,
)
from p4warden_sandbox.seed import add_user, new_user
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_PASSWD = Usage("passwd [ user ]", refused_options="O:P:", max_arguments=1)
_NEW, _AGAIN = "Enter the new one: ", "Re-enter the new one: "


def passwd(call: Call) -> None:
    """Handle `p4 passwd`: set the calling user's password; a super user may set any user's."""
    options = _PASSWD.read(call.request.arguments)
    user = options.arguments[0] if options.arguments else call.user
    is_own = call.store.fold(user) == call.store.fold(call.user)
    if is_own:
        _allow_own(call)
    else:
        _allow_other(call, user)
    new = _ask(call, _NEW, user)
    if new != _ask(call, _AGAIN, user):
        raise CommandError(PASSWORDS_DIFFER)
    accounts = call.server.accounts
    accounts.set_password(call.store.fold(user), new)
    if is_own:
        accounts.waive_reset(call.store.fold(user))
    call.reply.say(PASSWORD_UPDATED if new else PASSWORD_DELETED)


def _allow_own(call: Call) -> None:
    store = call.store
    if call.server.accounts.has_password(store.fold(call.user)):
        if not login.password_given(call, call.user, "Enter old password: "):
            raise CommandError(PASSWORD_INVALID)
    elif access.awaits_first_password(call):
        if store.find("user", call.user) is None:
            add_user(store, new_user(call.user, call.request.text("host")))
    elif not store.configurables["dm.user.setinitialpasswd"]:
        raise CommandError(SUPER_SETS_PASSWORD)
    elif store.find("user", call.user) is None:
        access.make_user(call, "passwd")


def _allow_other(call: Call, user: str) -> None:
    access.admit(call, "passwd")
    call.require_super()
    if call.store.find("user", user) is None:
        raise CommandError(NO_SUCH_USER, user=user)


def _ask(call: Call, question: str, user: str) -> str:
    request = {"data": question, "user": user, "confirm": "dm-Passwd"}
    return call.reply.ask("client-Prompt", request).text("data")
