# The server sends a random token; the client answers with a chain of MD5 sums of the token and its
# password or ticket, each sum as upper-case hex text (Perforce API source client/clientservice.cc,
# clientCrypto and clientPrompt; support/md5.cc). Only the first 16 bytes of a password are used.

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from typing import NamedTuple

from p4warden_sandbox.wire import to_bytes

# 12 hours, as for a new group or a user in no group (`p4 help group`).
TICKET_LIFE_S = 43_200
_PASSWORD_BYTES = 16


class Challenge(NamedTuple):
    """`address` is the server's as the client used it, sent with the proof; empty for a pipe."""

    token: str
    address: str = ""


class Accounts:
    """User names are given folded: in lower case on a case-insensitive server."""

    def __init__(self, ticket_life_s: int = TICKET_LIFE_S) -> None:
        self._ticket_life_s = ticket_life_s
        self._passwords: dict[str, str] = {}
        self._tickets: dict[str, dict[str, float]] = {}
        self._to_be_reset: set[str] = set()
        self._versions: dict[str, int] = {}
        self._lock = threading.Lock()

    def set_password(self, user: str, password: str) -> None:
        with self._lock:
            self._end_tickets(user)
            if password:
                self._passwords[user] = _md5(to_bytes(password)[:_PASSWORD_BYTES])
            else:
                self._passwords.pop(user, None)

    def has_password(self, user: str) -> bool:
        return user in self._passwords

    def with_passwords(self) -> list[str]:
        return list(self._passwords)

    def new_ticket(self, user: str) -> str:
        ticket = secrets.token_hex(16).upper()
        with self._lock:
            self._tickets.setdefault(user, {})[ticket] = time.monotonic() + self._ticket_life_s
        return ticket

    def end_tickets(self, user: str) -> None:
        with self._lock:
            self._end_tickets(user)

    def _end_tickets(self, user: str) -> None:
        self._tickets.pop(user, None)
        self._versions[user] = self.version(user) + 1

    def version(self, user: str) -> int:
        """Return a number that increases when a sandbox user's earlier logins become invalid."""
        return self._versions.get(user, 0)

    def demand_reset(self, user: str) -> None:
        with self._lock:
            self._to_be_reset.add(user)

    def waive_reset(self, user: str) -> None:
        with self._lock:
            self._to_be_reset.discard(user)

    def must_reset(self, user: str) -> bool:
        return user in self._to_be_reset

    def password_proven(self, user: str, challenge: Challenge, answer: str) -> bool:
        password = self._passwords.get(user)
        return password is not None and _matches(
            _md5(to_bytes(password + challenge.token)), challenge, answer
        )

    def ticket_left_s(self, user: str, challenge: Challenge, answer: str) -> float | None:
        """None if the answer proves no ticket of the user, or the ticket has expired."""
        for ticket, end_s in list(self._tickets.get(user, {}).items()):
            if _matches(_md5(to_bytes(challenge.token + ticket)), challenge, answer):
                left_s = end_s - time.monotonic()
                return left_s if left_s > 0 else None
        return None

    def password_known(self, user: str, challenge: Challenge, answer: str) -> bool:
        """For P4PASSWD, token and password are hashed in another order than for a typed one."""
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
