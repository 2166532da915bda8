"""Checks of a p4warden installation, one part per file, for `status` and `doctor`.

A check returns a problem that it finds as a result, and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    import P4

GOOD, WARNING, BAD, UNKNOWN = "good", "warning", "bad", "unknown"
"""Possible states of a checked part of an installation; `UNKNOWN` if the state could not
be determined.
"""
WORST_FIRST = (BAD, WARNING, UNKNOWN, GOOD)


class Check(NamedTuple):
    """The result of checking one part of an installation.

    Attributes:
        state: one of `GOOD`, `WARNING`, `BAD` and `UNKNOWN`.
        remedy: the action to take; None if no action is needed or known.
    """

    name: str
    state: str
    message: str
    remedy: str | None = None


_UNASKED = P4WardenError("the server was not asked")


class CheckedInstallation(NamedTuple):
    """The p4warden installation to check: its home folder and its server.

    Attributes:
        now_ns: the current time, in nanoseconds since the epoch.
        p4: a connection to the server, or None.
        unconnected: why there is no connection, if there is none.
        gate_problem: why the gate of this p4warden does not start; empty if it does.
        unjudged: the name of the check that found that no event is judged; empty if none did.
    """

    home: str
    now_ns: int
    p4: P4.P4 | None = None
    unconnected: P4WardenError = _UNASKED
    gate_problem: str = ""
    unjudged: str = ""
