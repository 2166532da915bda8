"""A connection to a Perforce server, and its errors as one line that says what to do.

Port, user, ticket file and the rest come from the environment as for the `p4` command; no password
passes through here.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import P4

from p4warden import __version__
from p4warden.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Message numbers of Perforce's C++ API (msgs/msgserver.cc, msgdm.cc): subsystem << 10 | number.
_NOT_LOGGED_IN = {7 << 10 | 21, 7 << 10 | 312, 7 << 10 | 38}
_NO_PERMISSION = {6 << 10 | 41}
_UNICODE_SERVER = 7 << 10 | 22


class Address(NamedTuple):
    """Which server, as whom, with which tickets; None leaves it to P4PORT, P4USER, P4TICKETS."""

    port: str | None = None
    user: str | None = None
    ticket_file: str | None = None


@contextlib.contextmanager
def connected(address: Address) -> Iterator[P4.P4]:
    """Yield a connection; warnings do not raise, errors come as `P4WardenError`.

    Raises:
        P4WardenError: the server cannot be reached, or refuses what is asked of it.
    """
    p4 = P4.P4(**{name: value for name, value in address._asdict().items() if value})
    p4.prog, p4.version = "p4warden", __version__
    p4.exception_level = P4.P4.RAISE_ERRORS
    try:
        _connect(p4)
        yield p4
    except P4.P4Exception as error:
        raise P4WardenError(_advice(p4, error)) from error
    finally:
        if p4.connected():
            p4.disconnect()


def account_of(p4: P4.P4) -> dict[str, Any]:
    """Return how a server was reached, for another process to reach it so; no secret is in it."""
    trust = p4.env("P4TRUST") or str(Path("~/.p4trust").expanduser())
    return {
        "port": p4.port,
        "user": p4.user,
        "ticket_file": str(Path(p4.ticket_file).absolute()),
        "environment": {"P4TRUST": trust, "P4CHARSET": p4.charset},
    }


def _connect(p4: P4.P4) -> None:
    """Connect, and find out whether the server is a unicode one unless P4CHARSET says it.

    Left to itself, P4Python would write what it found into the user's ~/.p4enviro.
    """
    chosen = p4.env("P4CHARSET")
    p4.charset = chosen or "none"
    p4.connect()
    if chosen:
        return
    try:
        p4.run("info", "-s")
    except P4.P4Exception as error:
        if _numbers(error) != {_UNICODE_SERVER}:
            raise
        p4.disconnect()
        p4.charset = "utf8"
        p4.connect()


def _numbers(error: P4.P4Exception) -> set[int]:
    return {message.msgid for message in getattr(error, "messages", []) if message.msgid}


def _advice(p4: P4.P4, error: P4.P4Exception) -> str:
    """Return one line: what went wrong and what to do."""
    who = f"{p4.user}@{p4.port}"
    numbers = _numbers(error)
    if numbers & _NOT_LOGGED_IN:
        return f"{who}: not logged in; run p4 -p {p4.port} -u {p4.user} login"
    if numbers & _NO_PERMISSION:
        return f"{who}: this needs an account with super access; name one with --user"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = next((line for line in lines if "Connect to server failed" in line), None)
    if text or not lines:
        return f"{p4.port}: the server cannot be reached; check the port and that p4d runs"
    return f"{who}: {'; '.join(lines[:3])}"
