"""Logging in and out, and the proof of identity before the first command of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.accounts import TICKET_LIFE_S, new_challenge
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    BAD_PASSWORD,
    LOGGED_IN,
    LOGGED_OUT,
    LOGIN_GOOD_TILL,
    LOGIN_NOT_REQUIRED,
    NO_SUCH_USER,
    PASSWORD_INVALID,
)
from p4warden_sandbox.seed import new_user
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

# Commands a client may give before it has said who it is.
OPEN_COMMANDS = frozenset({"discover", "info", "login", "logout"})

_LOGIN = Usage("login [ -a -p -s ] [ user ]", "aps", refused="h:r:", most=1)
_LOGOUT = Usage("logout [ -a ]", "a")


def prove(call: Call) -> None:
    """Go on only if the client knows the user's password or has a ticket.

    A user who is not there yet is made, as servers do unless told otherwise (`p4 help user`).

    Raises:
        CommandError: it does not.
    """
    user = call.store.fold(call.user)
    if call.server.accounts.has_password(user) and _time_left_s(call) is None:
        raise CommandError(BAD_PASSWORD)
    if call.store.find("user", call.user) is None:
        call.store.save(new_user(call.user, call.request.text("host")))


def _time_left_s(call: Call) -> float | None:
    """Ask the client for proof; return how long it holds, None when there is none."""
    user = call.store.fold(call.user)
    accounts = call.server.accounts
    challenge = new_challenge()
    reply = call.reply.ask(
        "client-Crypto",
        {
            "token": challenge.token,
            "serverAddress": call.server.facts.address,
            "truncate": "",
            "confirm": "crypto",
        },
    )
    challenge = challenge._replace(address=reply.text("daddr"))
    answer = reply.text("token")
    if accounts.password_known(user, challenge, answer):
        return TICKET_LIFE_S
    return accounts.ticket_left_s(user, challenge, answer)


def login(call: Call) -> None:
    """Give the user a ticket for the password, print one, or tell how long it lasts."""
    options = _LOGIN.read(call.request.arguments)
    name = options.arguments[0] if options.arguments else call.user
    spec = call.store.find("user", name)
    if spec is None:
        raise CommandError(NO_SUCH_USER, user=name)
    if not call.server.accounts.has_password(call.store.fold(name)):
        call.reply.say(LOGIN_NOT_REQUIRED, user=name)
    elif "s" in options:
        _show_ticket(call, name)
    else:
        _log_in(call, name, prints="p" in options)


def _show_ticket(call: Call, name: str) -> None:
    left_s = _time_left_s(call) if call.store.fold(name) == call.store.fold(call.user) else None
    if left_s is None:
        raise CommandError(BAD_PASSWORD)
    if call.reply.tagged:
        call.reply.row([("User", name), ("TicketExpiration", str(int(left_s)))])
        return
    minutes = int(left_s) // 60
    hours, minutes = divmod(minutes, 60)
    call.reply.say(LOGIN_GOOD_TILL, user=name, hours=str(hours), minutes=str(minutes))


def _log_in(call: Call, name: str, *, prints: bool) -> None:
    """Ask for the password and hand out a ticket; the super user needs none for others."""
    user = call.store.fold(name)
    accounts = call.server.accounts
    is_other = user != call.store.fold(call.user)
    if is_other:
        prove(call)
        call.require_super()
    elif not password_given(call, name, "Enter password: "):
        raise CommandError(PASSWORD_INVALID)
    wanted = {
        "data": accounts.new_ticket(user),
        "serverAddress": call.server.facts.address,
        "user": name,
        "data2": "login",
    }
    call.reply.tell("client-SetPassword", wanted | ({"output": ""} if prints else {}))
    if not prints:
        call.reply.say(LOGGED_IN, user=name)


def password_given(call: Call, name: str, question: str) -> bool:
    """Ask the client for the password; tell whether it is the user's."""
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
    """End the user's tickets, here and everywhere, and have the client forget its own."""
    _LOGOUT.read(call.request.arguments)
    call.server.accounts.end_tickets(call.store.fold(call.user))
    call.reply.tell(
        "client-SetPassword",
        {
            "data": "",
            "serverAddress": call.server.facts.address,
            "user": call.user,
            "data2": "logout",
        },
    )
    call.reply.say(LOGGED_OUT, user=call.user)
