"""Checks of an installation: each file checks one part of it and reports the result.

A check never raises for a problem it finds and never changes anything. Imports `server`, `table`,
`home` and the rooms below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import P4

GOOD, WARNING, BAD, UNKNOWN = "good", "warning", "bad", "unknown"
"""Possible states of a checked part; the last stands for a state that could not be determined."""


class Check(NamedTuple):
    """The result of checking one part of an installation.

    Attributes:
        name: name of the checked part.
        state: one of `GOOD`, `WARNING`, `BAD` and `UNKNOWN`.
        message: one line about the state.
        remedy: the action to take, None where none is needed.
    """

    name: str
    state: str
    message: str
    remedy: str | None = None


class Place(NamedTuple):
    """The installation to check: its home folder and its server.

    Attributes:
        home: the home folder.
        p4: a connection to the server as a super user, or None.
        no_p4: the reason why there is no connection.
        now_ns: the current time, in nanoseconds since the epoch.
    """

    home: str
    p4: P4.P4 | None
    no_p4: str
    now_ns: int
