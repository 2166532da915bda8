# P4 Server Administration Guide, "Server security levels", "Secure by default"; texts from
# Perforce API source msgs/msgserver.cc. The assignment of texts to cases is inferred.

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

_OPEN_COMMANDS = frozenset({"discover", "info", "login", "logout", "passwd", "password"})
_PASSWORDS_FOR_ALL = 1
_TICKETS_ONLY = 3
_BY_FORM, _BY_SUPER_USER = 1, 2
_UNLICENSED_USERS = 5


class Proof(NamedTuple):
    left_s: float
    is_by_ticket: bool


def is_open(call: Call, command: str) -> bool:
    """Tell whether the sandbox runs this p4 command for users who gave no password or ticket."""
    is_for_all = command == "users" and not call.store.configurables["run.users.authorize"]
    return needs_no_login(command) or is_for_all


def needs_no_login(command: str) -> bool:
    """Tell whether a p4 command is for users who are not logged in, whatever the settings."""
    return command in _OPEN_COMMANDS


def admit(call: Call, command: str) -> None:
    """Raise CommandError unless the user may run a command; create an unknown user if allowed."""
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
    """Tell whether, as on a new 2026.1 server, commands wait for a super user's first password."""
    store, accounts = call.store, call.server.accounts
    is_secure = store.configurables.is_secure
    return is_secure and not any(map(store.is_super, accounts.with_passwords()))


def prove(call: Call) -> None:
    """Raise CommandError unless the client proves the password or has a ticket, as required."""
    proof = proof_of(call)
    if proof is None:
        raise CommandError(BAD_PASSWORD)
    if not proof.is_by_ticket and call.store.configurables["security"] >= _TICKETS_ONLY:
        raise CommandError(TICKET_ONLY)
    if call.server.accounts.must_reset(call.store.fold(call.user)):
        raise CommandError(PASSWORD_EXPIRED)


def proof_of(call: Call) -> Proof | None:
    """Ask the client for a proof of the user's identity; None if its answer proves nothing."""
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
    """Tell whether the user needs no password, or now proves a password or ticket."""
    if call.server.accounts.has_password(call.store.fold(call.user)):
        return proof_of(call) is not None
    return call.store.configurables["security"] < _PASSWORDS_FOR_ALL


def make_user(call: Call, command: str) -> None:
    """Create the user who runs a command, or raise CommandError (`p4 help user`)."""
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
    """Raise CommandError if one more user exceeds the maximum of p4d without a license."""
    is_limited = call.server.settings.behaves("license", "none")
    if is_limited and len(call.store.all("user")) >= _UNLICENSED_USERS:
        raise CommandError(TOO_MANY_USERS)
