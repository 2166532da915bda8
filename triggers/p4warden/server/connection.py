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
from p4warden.core.errors import P4WardenError
from p4warden.server.error_advice import NOT_LOGGED_IN, UNICODE_SERVER, Reached, advice

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 300
"""A server that says nothing for so long is given up; lists of a large server come in time."""
GREETING_S = 10
"""Its first answer comes sooner. It bounds leaving, too: a server whose TLS key is not trusted
P4Python may take as long to leave as it may wait (NetSslTransport::SendOrReceive, C++ API)."""


class Address(NamedTuple):
    """Which server, as whom, with which tickets; None leaves it to P4PORT, P4USER, P4TICKETS."""

    port: str | None = None
    user: str | None = None
    ticket_file: str | None = None


@contextlib.contextmanager
def connected(address: Address, wait_s: int = WAIT_S) -> Iterator[P4.P4]:
    """Yield a connection; warnings do not raise, errors come as `P4WardenError`.

    Args:
        address: the server's address and the user.
        wait_s: how long to wait for each message of the server (`net.maxwait`, p4 help
            configurables).

    Raises:
        P4WardenError: the server cannot be reached, or refuses the request.
    """
    p4 = P4.P4(**{name: value for name, value in address._asdict().items() if value})
    p4.prog, p4.version = "p4warden", __version__
    p4.exception_level = P4.P4.RAISE_ERRORS
    try:
        _connect(p4, wait_s)
        yield p4
    except P4.P4Exception as error:
        raise P4WardenError(_advice(p4, error)) from error
    finally:
        if p4.connected():
            p4.disconnect()


def connect_anew(p4: P4.P4) -> None:
    """Leave the server and connect to it again, with the same account, wait and charset.

    Raises:
        P4Exception: the server cannot be reached any more.
    """
    if p4.connected():
        p4.disconnect()
    p4.connect()


def account_of(p4: P4.P4) -> dict[str, Any]:
    """Return how a server was reached, for another process to reach it so; no secret is in it."""
    trust = p4.env("P4TRUST") or str(Path("~/.p4trust").expanduser())
    return {
        "port": p4.port,
        "user": p4.user,
        "ticket_file": str(Path(p4.ticket_file).absolute()),
        "environment": {"P4TRUST": trust, "P4CHARSET": p4.charset},
    }


def _connect(p4: P4.P4, wait_s: int) -> None:
    """Connect, and find out whether the server is a unicode one unless P4CHARSET says it.

    Left to itself, P4Python would write its finding into the user's ~/.p4enviro.
    """
    chosen = p4.env("P4CHARSET")
    p4.charset = chosen or "none"
    _dial(p4, min(wait_s, GREETING_S))
    if chosen and wait_s <= GREETING_S:
        return
    try:
        p4.run("info", "-s")
    except P4.P4Exception as error:
        if chosen or _numbers(error) != {UNICODE_SERVER}:
            raise
        p4.charset = "utf8"
    else:
        if wait_s <= GREETING_S:
            return
    _dial(p4, wait_s)


def _dial(p4: P4.P4, wait_s: int) -> None:
    """Connect, or connect anew: a connection keeps the wait and the charset that it began with."""
    p4.set_tunable("net.maxwait", str(wait_s))
    connect_anew(p4)


def require_login(p4: P4.P4) -> None:
    """Go on unless the last command failed for want of a ticket; for commands that do not raise.

    Raises:
        P4WardenError: it did; the text says how to log in.
    """
    numbers = {message.msgid for message in p4.messages}
    if numbers & NOT_LOGGED_IN:
        raise P4WardenError(advice(_reached(p4), numbers, ""))


def _numbers(error: P4.P4Exception) -> set[int]:
    return {message.msgid for message in getattr(error, "messages", []) if message.msgid}


def _advice(p4: P4.P4, error: P4.P4Exception) -> str:
    return advice(_reached(p4), _numbers(error), _text(error))


def _reached(p4: P4.P4) -> Reached:
    usual = p4.ticket_file == str(Path("~/.p4tickets").expanduser())
    return Reached(p4.port, p4.user, None if usual else p4.ticket_file)


def _text(error: P4.P4Exception) -> str:
    """Return what the server said, without P4Python's own words around it."""
    said = getattr(error, "errors", None) or [str(error)]
    return "\n".join(s.decode("utf-8", "replace") if isinstance(s, bytes) else s for s in said)
