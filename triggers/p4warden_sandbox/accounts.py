"""Passwords and tickets of the sandbox's users, verified without sending either over the network.

The server sends a random token; the client answers with a chain of MD5 sums of the token and its
password or ticket, each sum as upper-case hex text (Perforce API source client/clientservice.cc,
clientCrypto and clientPrompt; support/md5.cc). Only the first 16 bytes of a password are used. The
protocol prescribes MD5.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from typing import NamedTuple

from p4warden_sandbox.wire import to_bytes

# Default lifetime of tickets: 12 hours, as for a new group or a user in no group (`p4 help
# group`).
TICKET_LIFE_S = 43_200
_PASSWORD_BYTES = 16


class Challenge(NamedTuple):
    """A login challenge: a random token for one use, and the server address that the client used.

    The client sends the address with its proof; it is empty if the client reached the server by a
    pipe.
    """

    token: str
    address: str = ""


class Accounts:
    """The passwords and tickets of all users of the sandbox server.

    User names are given folded: in lower case on a case-insensitive server.
    """

    def __init__(self, ticket_life_s: int = TICKET_LIFE_S) -> None:
        self._ticket_life_s = ticket_life_s
        self._passwords: dict[str, str] = {}
        self._tickets: dict[str, dict[str, float]] = {}
        self._to_be_reset: set[str] = set()
        self._versions: dict[str, int] = {}
        self._lock = threading.Lock()

    def set_password(self, user: str, password: str) -> None:
        """Set a user's password, or remove it if empty; all the user's tickets become invalid."""
        with self._lock:
            self._end_tickets(user)
            if password:
                self._passwords[user] = _md5(to_bytes(password)[:_PASSWORD_BYTES])
            else:
                self._passwords.pop(user, None)

    def has_password(self, user: str) -> bool:
        """Tell whether a user of the sandbox has a password and so must authenticate."""
        return user in self._passwords

    def with_passwords(self) -> list[str]:
        """Return the names of the sandbox's users who have a password."""
        return list(self._passwords)

    def new_ticket(self, user: str) -> str:
        """Create a login ticket for a sandbox user and return it; earlier tickets stay valid."""
        ticket = secrets.token_hex(16).upper()
        with self._lock:
            self._tickets.setdefault(user, {})[ticket] = time.monotonic() + self._ticket_life_s
        return ticket

    def end_tickets(self, user: str) -> None:
        """Invalidate all login tickets of a user of the sandbox."""
        with self._lock:
            self._end_tickets(user)

    def _end_tickets(self, user: str) -> None:
        self._tickets.pop(user, None)
        self._versions[user] = self.version(user) + 1

    def version(self, user: str) -> int:
        """Return a number that increases when a sandbox user's earlier logins become invalid."""
        return self._versions.get(user, 0)

    def demand_reset(self, user: str) -> None:
        """Require a sandbox user to choose another password before most other commands."""
        with self._lock:
            self._to_be_reset.add(user)

    def waive_reset(self, user: str) -> None:
        """Cancel the requirement that a user of the sandbox choose another password."""
        with self._lock:
            self._to_be_reset.discard(user)

    def must_reset(self, user: str) -> bool:
        """Tell whether a sandbox user must choose another password before most other commands."""
        return user in self._to_be_reset

    def password_proven(self, user: str, challenge: Challenge, answer: str) -> bool:
        """Tell whether a client's answer to a login challenge proves the user's password."""
        password = self._passwords.get(user)
        return password is not None and _matches(
            _md5(to_bytes(password + challenge.token)), challenge, answer
        )

    def ticket_left_s(self, user: str, challenge: Challenge, answer: str) -> float | None:
        """Return the remaining seconds of the ticket that an answer to a login challenge proves.

        None if the answer proves no ticket of the user, or the ticket has expired.
        """
        for ticket, end_s in list(self._tickets.get(user, {}).items()):
            if _matches(_md5(to_bytes(challenge.token + ticket)), challenge, answer):
                left_s = end_s - time.monotonic()
                return left_s if left_s > 0 else None
        return None

    def password_known(self, user: str, challenge: Challenge, answer: str) -> bool:
        """Tell whether a client's answer proves the password in its P4PASSWD setting.

        For P4PASSWD, token and password are hashed in another order than for a typed password.
        """
        password = self._passwords.get(user)
        return password is not None and _matches(
            _md5(to_bytes(challenge.token + password)), challenge, answer
        )


def new_challenge() -> Challenge:
    """Return a login challenge with a new random token."""
    return Challenge(secrets.token_hex(16).upper())


def _matches(digest: str, challenge: Challenge, answer: str) -> bool:
    address = challenge.address
    expected = _md5(to_bytes(digest + address)) if address else digest
    return hmac.compare_digest(to_bytes(expected), to_bytes(answer.upper()))


def _md5(value: bytes) -> str:
    return hashlib.md5(value, usedforsecurity=False).hexdigest().upper()
