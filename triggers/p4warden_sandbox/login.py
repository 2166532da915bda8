from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import access
from p4warden_sandbox.accounts import new_challenge
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    BAD_PASSWORD,
    LOGGED_IN,
    LOGGED_OUT,
    LOGIN_GOOD_TILL,
    LOGIN_NOT_REQUIRED,
    MUST_SET_PASSWORD,
    NO_SUCH_USER,
    PASSWORD_EXPIRED,
    PASSWORD_INVALID,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_LOGIN = Usage("login [ -a -p -s ] [ user ]", "aps", refused_options="h:r:", max_arguments=1)
_LOGOUT = Usage("logout [ -a ]", "a")
_QUESTION = "Enter password: "


def login(call: Call) -> None:
    """Handle `p4 login`: -p makes the client print the ticket, -s only shows its time left."""
    options = _LOGIN.read(call.request.arguments)
    name = options.arguments[0] if options.arguments else call.user
    if call.store.find("user", name) is None:
        _refuse_unknown(call, name)
    if not call.server.accounts.has_password(call.store.fold(name)):
        if call.store.configurables["security"]:
            raise CommandError(MUST_SET_PASSWORD)
        call.reply.say(LOGIN_NOT_REQUIRED, user=name)
    elif "s" in options:
        _show_ticket(call, name)
    else:
        _log_in(call, name, prints="p" in options)


def _refuse_unknown(call: Call, name: str) -> None:
    if call.store.configurables["dm.user.hideinvalid"]:
        password_given(call, name, _QUESTION)
        raise CommandError(PASSWORD_INVALID)
    raise CommandError(NO_SUCH_USER, user=name)


def _show_ticket(call: Call, name: str) -> None:
    is_own = call.store.fold(name) == call.store.fold(call.user)
    proof = access.proof_of(call) if is_own else None
    if proof is None:
        raise CommandError(BAD_PASSWORD)
    left_s = int(proof.left_s)
    if call.reply.tagged:
        call.reply.row([("User", name), ("TicketExpiration", str(left_s))])
        return
    hours, minutes = divmod(left_s // 60, 60)
    call.reply.say(LOGIN_GOOD_TILL, user=name, hours=str(hours), minutes=str(minutes))


def _log_in(call: Call, name: str, *, prints: bool) -> None:
    """A super user gets a ticket for another user without a password."""
    user = call.store.fold(name)
    accounts = call.server.accounts
    if user != call.store.fold(call.user):
        access.admit(call, "login")
        call.require_super()
    elif not password_given(call, name, _QUESTION):
        raise CommandError(PASSWORD_INVALID)
    elif accounts.must_reset(user):
        raise CommandError(PASSWORD_EXPIRED)
    request = {
        "data": accounts.new_ticket(user),
        "serverAddress": call.server.facts.address,
        "user": name,
        "data2": "login",
    }
    call.reply.call_client("client-SetPassword", request | ({"output": ""} if prints else {}))
    if not prints:
        call.reply.say(LOGGED_IN, user=name)


def password_given(call: Call, name: str, question: str) -> bool:
    """Make the client prompt for a user's password; return whether the password is correct."""
    challenge = new_challenge()
    reply = call.reply.ask(
        "client-Prompt",
        {
            "data": question,
            "digest": challenge.token,
            "truncate": "",
            "noecho": "",
            "user": name,
            "confirm": "dm-Login",
        },
    )
    challenge = challenge._replace(address=reply.text("daddr"))
    user = call.store.fold(name)
    return call.server.accounts.password_proven(user, challenge, reply.text("data"))


def logout(call: Call) -> None:
    """Handle `p4 logout`: end the user's tickets, and make the client delete the stored one."""
    _LOGOUT.read(call.request.arguments)
    call.server.accounts.end_tickets(call.store.fold(call.user))
    call.reply.call_client(
        "client-SetPassword",
        {
            "data": "",
            "serverAddress": call.server.facts.address,
            "user": call.user,
            "data2": "logout",
        },
    )
    call.reply.say(LOGGED_OUT, user=call.user)
