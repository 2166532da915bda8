# As RIM did ("Improving Perforce Performance by over 10x", 2007): `info` needs no table of the
# server, `fstat` and `dirs` read its tables, `print` reads a file, and `sync -f` sends a file and
# records that. The commands should be small: the measured time is the time that the server lets a
# small request wait.

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden.core.errors import P4WardenError
from p4warden.core.printable import printable
from p4warden.server.client_settings import new_connection
from p4warden.server.connection import connected
from p4warden.server.connection_failure import require_login
from p4warden.server.questions import ask
from p4warden.workbench.pulse.measurements import CONNECT, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.server.connection import Address

WAIT_S = 3600
"""Seconds to wait for each message: stalls are not cut short; RIM had some of twenty minutes."""


class Arguments(NamedTuple):
    """`file` is a small one that the existing `client` maps; `directories` is like `//depot/*`."""

    file: str
    directories: str
    client: str

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        return (
            ("info",),
            ("print", self.file),
            ("fstat", self.file),
            ("dirs", self.directories),
            ("sync", "-f", self.file),
        )


class Clocks(NamedTuple):
    """`time_s` returns seconds since the epoch, `monotonic_ns` a monotonic time."""

    time_s: Callable[[], float]
    monotonic_ns: Callable[[], int]


def refuse_unknown_client(address: Address, client: str) -> None:
    """Raise `P4WardenError` if the server has no such client; nothing if it does not answer."""
    try:
        with connected(address) as p4:
            is_known = bool(ask(p4, "clients", "-e", client))
    except P4WardenError:
        return
    if not is_known:
        raise P4WardenError(
            f"{address.port or 'the server'} has no client {printable(client)}; create it, with a "
            "root that this account can write"
        )


def measure(address: Address, arguments: Arguments, clocks: Clocks) -> list[Measurement]:
    """Return durations; a failed command or connection gives a measurement, with its error."""
    began_s = clocks.time_s()
    beats: list[Measurement] = []
    try:
        with connected(address, WAIT_S) as p4:
            p4.client = arguments.client
            for command in arguments.commands:
                beats.append(_timed(p4, command, clocks))  # noqa: PERF401 - earlier ones stay
    except P4WardenError as error:
        beats.append(Measurement(began_s, _port(address), CONNECT, None, str(error)))
    return beats


def _port(address: Address) -> str:
    try:
        return address.port or str(new_connection({}).port)
    except P4WardenError:
        return "P4PORT"


def _timed(p4: P4.P4, command: tuple[str, ...], clocks: Clocks) -> Measurement:
    """P4WardenError if the account is not logged in, as other commands would fail, too."""
    began_s, began_ns = clocks.time_s(), clocks.monotonic_ns()
    name = " ".join(word for word in command[:2] if not word.startswith("//"))
    with p4.at_exception_level(P4.P4.RAISE_NONE):
        ask(p4, *command)
    require_login(p4)
    lapse_ns = clocks.monotonic_ns() - began_ns
    messages = [*p4.errors, *p4.warnings]
    if messages:
        return Measurement(began_s, p4.port, name, None, " ".join(str(messages[0]).split()))
    return Measurement(began_s, p4.port, name, lapse_ns)
