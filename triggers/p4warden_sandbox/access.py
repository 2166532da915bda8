"""Check whether the sandbox server's users may run commands: passwords, tickets, configurables.

(P4 Server Administration Guide, "Server security levels", "Secure by default"; texts from Perforce
API source msgs/msgserver.cc. The assignment of texts to cases is inferred.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.accounts import TICKET_LIFE_S, new_challenge
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    BAD_PASSWORD,
    MUST_SET_PASSWORD,
    NO_ACCESS,
    PASSWORD_EXPIRED,
    TICKET_ONLY,
    TOO_MANY_USERS,
)
from p4warden_sandbox.seed import add_user, new_user

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

# Commands that the sandbox server runs for a client that has not authenticated.
_OPEN_COMMANDS = frozenset({"discover", "info", "login", "logout", "passwd", "password"})
_PASSWORDS_FOR_ALL = 1
_TICKETS_ONLY = 3
_BY_FORM, _BY_SUPER_USER = 1, 2
_UNLICENSED_USERS = 5


class Proof(NamedTuple):
    """Proof of a user's identity, by ticket or password, and the seconds for which it is valid."""

    left_s: float
    is_by_ticket: bool


def is_open(call: Call, command: str) -> bool:
    """Tell whether the sandbox runs this p4 command for users who gave no password or ticket."""
    is_for_all = command == "users" and not call.store.configurables["run.users.authorize"]
    return command in _OPEN_COMMANDS or is_for_all


def admit(call: Call, command: str) -> None:
    """Check that the user may run a command of the sandbox; create an unknown user if allowed.

    Raises:
        CommandError: the user may not run commands.
    """
    if awaits_first_password(call):
        raise CommandError(MUST_SET_PASSWORD)
    if call.server.accounts.has_password(call.store.fold(call.user)):
        prove(call)
        return
    if call.store.find("user", call.user) is None:
        make_user(call, command)
    if call.store.configurables["security"] >= _PASSWORDS_FOR_ALL:
        raise CommandError(MUST_SET_PASSWORD)


def awaits_first_password(call: Call) -> bool:
    """Tell whether the sandbox is secure by default and no super user has a password yet.

    Until one is set, commands are refused, as on a new 2026.1 server.
    """
    store, accounts = call.store, call.server.accounts
    is_secure = store.configurables.is_secure
    return is_secure and not any(map(store.is_super, accounts.with_passwords()))


def prove(call: Call) -> None:
    """Raise unless the sandbox's client proves the user's password or has a valid ticket.

    Raises:
        CommandError: the proof is missing or wrong; or a ticket is required; or the password must
            be changed first.
    """
    proof = proof_of(call)
    if proof is None:
        raise CommandError(BAD_PASSWORD)
    if not proof.is_by_ticket and call.store.configurables["security"] >= _TICKETS_ONLY:
        raise CommandError(TICKET_ONLY)
    if call.server.accounts.must_reset(call.store.fold(call.user)):
        raise CommandError(PASSWORD_EXPIRED)


def proof_of(call: Call) -> Proof | None:
    """Ask the sandbox's client for a proof of the user's password or ticket; return the proof.

    None if the client's answer proves neither.
    """
    user = call.store.fold(call.user)
    accounts = call.server.accounts
    challenge = new_challenge()
    question = {
        "token": challenge.token,
        "serverAddress": call.server.facts.address,
        "truncate": "",
        "confirm": "crypto",
    }
    reply = call.reply.ask("client-Crypto", question)
    challenge = challenge._replace(address=reply.text("daddr"))
    answers = [reply.text("token"), reply.text("token2")]
    for answer in answers:
        left_s = accounts.ticket_left_s(user, challenge, answer)
        if left_s is not None:
            return Proof(left_s, is_by_ticket=True)
    if any(accounts.password_known(user, challenge, answer) for answer in answers):
        return Proof(TICKET_LIFE_S, is_by_ticket=False)
    return None


def is_known(call: Call) -> bool:
    """Tell whether the user needs no password, or now proves a password or ticket.

    A user of the sandbox with a password is asked for the proof through the client.
    """
    if call.server.accounts.has_password(call.store.fold(call.user)):
        return proof_of(call) is not None
    return call.store.configurables["security"] < _PASSWORDS_FOR_ALL


def make_user(call: Call, command: str) -> None:
    """Create the user who runs a command, as servers do unless configured otherwise.

    (`p4 help user`. With `dm.user.noautocreate=1`, only `p4 user` creates users.)

    Raises:
        CommandError: the server does not create users automatically, or has too many users.
    """
    configurables = call.store.configurables
    level = configurables["dm.user.noautocreate"]
    if level == _BY_FORM and command == "user":
        return
    if level >= _BY_FORM:
        if configurables["dm.user.hideinvalid"]:
            raise CommandError(BAD_PASSWORD)
        raise CommandError(NO_ACCESS, user=call.user)
    check_user_quota(call)
    add_user(call.store, new_user(call.user, call.request.text("host")))


def check_user_quota(call: Call) -> None:
    """Raise if one more user would exceed the maximum that p4d allows without a license.

    Raises:
        CommandError: that number is reached.
    """
    is_limited = call.server.settings.behaves("license", "none")
    if is_limited and len(call.store.all("user")) >= _UNLICENSED_USERS:
        raise CommandError(TOO_MANY_USERS)
