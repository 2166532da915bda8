# Message numbers and texts are those of Perforce's C++ API (msgs/msgserver.cc, msgdm.cc,
# msgrpc.cc): a number combines the subsystem's number, shifted by 10 bits, and the message's own.
# An error before the connection is established has only a text.

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_RPC, _DM, _SERVER = 3 << 10, 6 << 10, 7 << 10
UNICODE_SERVER, TOO_MANY_COMMANDS = _SERVER | 22, _SERVER | 637
_OTHER_LINES = 3
_RUN, _CHECK = "run ", "check "
_FINGERPRINT = re.compile(r"\b[0-9A-F]{2}(:[0-9A-F]{2}){15,}")


class FailedConnection(NamedTuple):
    """`ticket_file` is None for the default file; `port_place` is where the address stands."""

    port: str
    user: str
    ticket_file: str | None
    port_place: str = "the port"

    @property
    def p4(self) -> str:
        """The start of a command line to advise."""
        tickets = f"P4TICKETS={shlex.quote(self.ticket_file)} " if self.ticket_file else ""
        return f"{tickets}p4 -p {shlex.quote(self.port)} -u {shlex.quote(self.user)}"


_ENDED = frozenset({_SERVER | 312, _SERVER | 318})
NO_TICKET = frozenset({_SERVER | 21, _SERVER | 38, _SERVER | 322})
_NEW_PASSWORD = frozenset({_SERVER | 307, _SERVER | 321, _SERVER | 455})
NOT_LOGGED_IN = _ENDED | NO_TICKET | _NEW_PASSWORD
"""A missing or expired login, or a password to be changed: further commands fail, too."""

NOT_TRUSTED = frozenset({_RPC | 48})
_ILLEGAL_NAME = frozenset(_DM | number for number in (4, 6, 7, 8, 11, 12))
"""As p4warden's client is legal, the account's name is not."""

_ADVICE: dict[frozenset[int | str], tuple[str, str]] = {
    _ENDED: ("{who}: the ticket has expired", "run {p4} login"),
    NO_TICKET: ("{who}: not logged in", "run {p4} login"),
    _NEW_PASSWORD: (
        "{who}: the server requires a new password for this account first",
        "run {p4} passwd",
    ),
    frozenset({_SERVER | 891}): (
        "{who}: the server requires a second factor for this account",
        "run {p4} login2",
    ),
    frozenset({_DM | 41}): (
        "{who}: this needs an account with super access",
        "specify one with --user",
    ),
    frozenset({_DM | 123, _DM | 358}): (
        "{who}: this account does not exist on the server, or p4 protect gives it no access",
        "specify another with --user",
    ),
    frozenset({_DM | 793, _DM | 794, _DM | 960, _DM | 961}): (
        "{who}: the server rejects the triggers table: {said}",
        "fix that line with p4 triggers, then run p4warden deploy plan again",
    ),
    NOT_TRUSTED: (
        "{port}: the server's key {fingerprint} is not trusted yet",
        "compare it with what p4d -Gf prints on the server's host, then run {p4} trust",
    ),
    frozenset({_RPC | 49}): (
        (
            "{port}: the server's key {fingerprint} differs from the trusted one, so a "
            "man-in-the-middle is possible"
        ),
        "if the key was changed on purpose, run {p4} trust -f",
    ),
    frozenset({_RPC | 33, "add SSL protocol prefix"}): (
        "{port}: the server requires TLS",
        "write ssl: before the port",
    ),
    frozenset({_RPC | 23, _RPC | 31, _RPC | 82, _RPC | 83, "SSL connect to"}): (
        "{port}: no TLS connection is possible at this port",
        "if the server does not use TLS, omit ssl:",
    ),
    frozenset({_RPC | 6}): (
        "{port}: the program listening there is not a Perforce server",
        "check the port",
    ),
    frozenset({_RPC | 39, "exceeded maximum configured duration"}): (
        "{port}: the server accepted the connection, but did not answer in time",
        "check that it is responding",
    ),
    frozenset({UNICODE_SERVER, _SERVER | 23}): (
        "{port}: the server's unicode mode was switched",
        "run p4warden refresh",
    ),
    _ILLEGAL_NAME: (
        "{who}: {said}",
        "if that is the account, specify another with --user or P4USER",
    ),
    frozenset({"Connect to server failed", "TCP send failed", "TCP receive failed"}): (
        "{port}: the server cannot be reached",
        "check {port_place}, and that p4d is running",
    ),
}
"""Problem and remedy, by message numbers, or parts of the message text."""


def is_unreached(remedy: str) -> bool:
    """Tell from a remedy whether nobody answered: an address or a server is to be checked."""
    return remedy.startswith(_CHECK)


def command_in(remedy: str) -> str | None:
    """Return the command that a remedy consists of; None if it is of other words."""
    return remedy.removeprefix(_RUN) if remedy.startswith(_RUN) else None


def advice(reached: FailedConnection, numbers: Iterable[int], text: str) -> tuple[str, str]:
    """Return the problem that a connection error's numbers or text mean, and its remedy or ""."""
    signs = set(numbers)
    account = f"{reached.user}@{reached.port}"
    lines = [line.strip() for line in text.splitlines() if line.strip()][:_OTHER_LINES]
    for known_signs, (problem, remedy) in _ADVICE.items():
        if known_signs & signs or any(s in text for s in known_signs if isinstance(s, str)):
            key = _FINGERPRINT.search(text)
            values = {
                "who": account,
                "port": reached.port,
                "port_place": reached.port_place,
                "p4": reached.p4,
                "fingerprint": key[0] if key else "it sent",
                "said": "; ".join(lines).rstrip("."),
            }
            return problem.format(**values), remedy.format(**values)
    return f"{account}: {'; '.join(lines) or 'the connection failed'}", ""
