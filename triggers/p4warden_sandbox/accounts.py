"""Passwords and tickets, and the proof of them a client gives without sending either.

The client answers a token with a chain of MD5 sums, each as upper-case hex text (Perforce API
source client/clientservice.cc, clientCrypto and clientPrompt; support/md5.cc). A password takes
part with its first 16 bytes only. MD5 is the protocol's choice.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from typing import NamedTuple

from p4warden_sandbox.wire import to_bytes

# A new group's timeout, and that of a user in none: 12 hours (`p4 help group`).
TICKET_LIFE_S = 43_200
_PASSWORD_BYTES = 16


class Challenge(NamedTuple):
    """A question to a client: a token used once, and the server's address as the client saw it.

    The address comes with the answer; it is empty where the client reached the server by a pipe.
    """

    token: str
    address: str = ""


class Accounts:
    """The secrets of all users, by their folded names."""

    def __init__(self, ticket_life_s: int = TICKET_LIFE_S) -> None:
        self._ticket_life_s = ticket_life_s
        self._passwords: dict[str, str] = {}
        self._tickets: dict[str, dict[str, float]] = {}
        self._to_be_reset: set[str] = set()
        self._versions: dict[str, int] = {}
        self._lock = threading.Lock()

    def set_password(self, user: str, password: str) -> None:
        """Give the user this password, or none when it is empty; tickets end."""
        with self._lock:
            self._end_tickets(user)
            if password:
                self._passwords[user] = _md5(to_bytes(password)[:_PASSWORD_BYTES])
            else:
                self._passwords.pop(user, None)

    def has_password(self, user: str) -> bool:
        """Tell whether the user has to prove who they are."""
        return user in self._passwords

    def with_passwords(self) -> list[str]:
        """Return the users who have to prove who they are."""
        return list(self._passwords)

    def new_ticket(self, user: str) -> str:
        """Return a new ticket for the user; earlier ones stay good."""
        ticket = secrets.token_hex(16).upper()
        with self._lock:
            self._tickets.setdefault(user, {})[ticket] = time.monotonic() + self._ticket_life_s
        return ticket

    def end_tickets(self, user: str) -> None:
        """Log the user out everywhere."""
        with self._lock:
            self._end_tickets(user)

    def _end_tickets(self, user: str) -> None:
        self._tickets.pop(user, None)
        self._versions[user] = self.version(user) + 1

    def version(self, user: str) -> int:
        """Return a number that changes when earlier proofs of the user count no more."""
        return self._versions.get(user, 0)

    def demand_reset(self, user: str) -> None:
        """Have the user choose another password before anything else."""
        with self._lock:
            self._to_be_reset.add(user)

    def waive_reset(self, user: str) -> None:
        """Let the user keep the password."""
        with self._lock:
            self._to_be_reset.discard(user)

    def must_reset(self, user: str) -> bool:
        """Tell whether the user has to choose another password."""
        return user in self._to_be_reset

    def password_proven(self, user: str, challenge: Challenge, answer: str) -> bool:
        """Tell whether the answer comes from the user's password."""
        password = self._passwords.get(user)
        return password is not None and _matches(
            _md5(to_bytes(password + challenge.token)), challenge, answer
        )

    def ticket_left_s(self, user: str, challenge: Challenge, answer: str) -> float | None:
        """Return how long the ticket behind the answer is good for; None when there is none."""
        for ticket, ends in list(self._tickets.get(user, {}).items()):
            if _matches(_md5(to_bytes(challenge.token + ticket)), challenge, answer):
                left_s = ends - time.monotonic()
                return left_s if left_s > 0 else None
        return None

    def password_known(self, user: str, challenge: Challenge, answer: str) -> bool:
        """Tell whether the answer comes from the password a client has in its environment."""
        password = self._passwords.get(user)
        return password is not None and _matches(
            _md5(to_bytes(challenge.token + password)), challenge, answer
        )


def new_challenge() -> Challenge:
    """Return a question nobody was asked before."""
    return Challenge(secrets.token_hex(16).upper())


def _matches(digest: str, challenge: Challenge, answer: str) -> bool:
    address = challenge.address
    expected = _md5(to_bytes(digest + address)) if address else digest
    return hmac.compare_digest(to_bytes(expected), to_bytes(answer.upper()))


def _md5(value: bytes) -> str:
    return hashlib.md5(value, usedforsecurity=False).hexdigest().upper()
