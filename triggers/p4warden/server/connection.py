# A submit waits while this is imported, so it imports what only a failure needs when there is one.

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden import __version__
from p4warden.core.errors import P4WardenError
from p4warden.core.own_names import OWN_PROGRAM
from p4warden.server.client_settings import new_connection
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
        from p4warden.server import connection_failure  # noqa: PLC0415

        problem = connection_failure.problem_and_remedy(p4, error, address.port)
        raise P4WardenError(*problem) from error
    finally:
        if p4.connected():
            p4.disconnect()


def connect_anew(p4: P4.P4) -> None:
    """Open a connection again with the same settings; P4Exception if the server is gone."""
    if p4.connected():
        p4.disconnect()
    p4.connect()


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
        from p4warden.server import connection_failure  # noqa: PLC0415

        if charset or not connection_failure.is_of_unicode(error):
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
