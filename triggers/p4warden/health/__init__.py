"""How an installation is: each file looks at one side of it and says what is there.

A check never raises for what it finds, and nothing it does changes anything. Imports `server`,
`table`, `home` and the rooms below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import P4

GOOD, WARNING, BAD, UNKNOWN = "good", "warning", "bad", "unknown"
"""States, and one for what could not be found out."""


class Check(NamedTuple):
    """What was looked at, and how it is.

    Attributes:
        name: what was looked at.
        state: one of `GOOD`, `WARNING`, `BAD` and `UNKNOWN`.
        said: one line about it.
        remedy: what to do, None where nothing is to be done.
    """

    name: str
    state: str
    said: str
    remedy: str | None = None


class Place(NamedTuple):
    """What is looked at.

    Attributes:
        home: the home folder.
        p4: a connection to the server as a super user, or None.
        no_p4: why there is none.
        now_ns: the time, in nanoseconds since the epoch.
    """

    home: str
    p4: P4.P4 | None
    no_p4: str
    now_ns: int
