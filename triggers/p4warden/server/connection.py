from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import P4

from p4warden import __version__
from p4warden.core.errors import P4WardenError
from p4warden.core.records import OWN_PROGRAM
from p4warden.server.client_settings import new_connection, place_of
from p4warden.server.error_advice import (
    NO_TICKET,
    NOT_LOGGED_IN,
    NOT_TRUSTED,
    UNICODE_SERVER,
    FailedConnection,
    advice,
)
from p4warden.server.questions import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 300
"""Seconds to wait for each message; lists of a large server arrive within it."""
GREETING_S = 10
"""Seconds to wait for a server's first message.

It also bounds disconnecting: for a server with an untrusted TLS key, P4Python may take as long to
disconnect as it may wait (NetSslTransport::SendOrReceive, C++ API).
"""


class Address(NamedTuple):
    """None stands for P4PORT, P4USER and P4TICKETS, and for a character set to find out."""

    port: str | None = None
    user: str | None = None
    ticket_file: str | None = None
    charset: str | None = None


@contextlib.contextmanager
def connected(address: Address, wait_s: int = WAIT_S) -> Iterator[P4.P4]:
    """Yield a connection on which warnings do not raise and errors become `P4WardenError`.

    `wait_s` is the longest wait for each message (`net.maxwait`, p4 help configurables).
    """
    settings = {name: value for name, value in address._asdict().items() if value}
    charset = settings.pop("charset", None)
    p4 = new_connection(settings)
    p4.prog, p4.version = OWN_PROGRAM, __version__
    p4.exception_level = P4.P4.RAISE_ERRORS
    try:
        _connect(p4, charset, wait_s)
        yield p4
    except P4.P4Exception as error:
        place = "the port" if address.port else place_of("P4PORT")
        raise P4WardenError(_advice(p4, error, place)) from error
    finally:
        if p4.connected():
            p4.disconnect()


def connect_anew(p4: P4.P4) -> None:
    """Open a connection again with the same settings; P4Exception if the server is gone."""
    if p4.connected():
        p4.disconnect()
    p4.connect()


def account_of(p4: P4.P4) -> dict[str, Any]:
    """Return address and account for another process: a ticket file, but no ticket or password."""
    trust = p4.env("P4TRUST") or str(Path("~/.p4trust").expanduser())
    return {
        "port": p4.port,
        "user": p4.user,
        "ticket_file": str(Path(p4.ticket_file).absolute()),
        "environment": {"P4TRUST": trust, "P4CHARSET": p4.charset},
    }


def _connect(p4: P4.P4, charset: str | None, wait_s: int) -> None:
    """P4CHARSET does not count, as names are read in UTF-8.

    P4Python itself would write the detected charset into the user's ~/.p4enviro.
    """
    p4.charset = charset or "none"
    _dial(p4, min(wait_s, GREETING_S))
    if charset and wait_s <= GREETING_S:
        return
    try:
        ask(p4, "info", "-s")
    except P4.P4Exception as error:
        if charset or _numbers(error) != {UNICODE_SERVER}:
            raise
        p4.charset = "utf8"
    else:
        if wait_s <= GREETING_S:
            return
    _dial(p4, wait_s)


def _dial(p4: P4.P4, wait_s: int) -> None:
    """A connection keeps the waiting time and charset that it started with."""
    p4.set_tunable("net.maxwait", str(wait_s))
    connect_anew(p4)


def require_login(p4: P4.P4) -> None:
    """Raise P4WardenError with the remedy if the last p4 command failed for lack of a login."""
    numbers = {message.msgid for message in p4.messages}
    if numbers & NOT_LOGGED_IN:
        raise P4WardenError(advice(_reached(p4), numbers, ""))


def _numbers(error: P4.P4Exception) -> set[int]:
    return {message.msgid for message in getattr(error, "messages", []) if message.msgid}


def _advice(p4: P4.P4, error: P4.P4Exception, port_place: str) -> str:
    numbers = _numbers(error)
    if numbers & NO_TICKET and p4.env("P4PASSWD"):
        return f"{p4.user}@{p4.port}: P4PASSWD is not this account's password; remove it"
    trust = p4.env("P4TRUST") if numbers & NOT_TRUSTED else None
    folder = {"P4TICKETS": p4.ticket_file if numbers & NO_TICKET else None, "P4TRUST": trust}
    for name, path in folder.items():
        if path and os.path.isdir(path):  # noqa: PTH112 - False for a path that is not permitted
            return f"{name}: {path} is a folder; set it to a file, such as {path}/{name.lower()}"
    reached = _reached(p4)._replace(port_place=port_place)
    return advice(reached, numbers, message_of(error))


def _reached(p4: P4.P4) -> FailedConnection:
    usual = p4.ticket_file == str(Path("~/.p4tickets").expanduser())
    return FailedConnection(p4.port, p4.user, None if usual else p4.ticket_file)


def message_of(error: P4.P4Exception) -> str:
    """Return the server's errors in an exception, one per line; without any, all of its text."""
    messages = getattr(error, "errors", None) or [str(error)]
    return "\n".join(s.decode("utf-8", "replace") if isinstance(s, bytes) else s for s in messages)
