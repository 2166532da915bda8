"""The part of a log that a report is about, and how it is to be divided."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """A step of a series.

    Hours and days are put together from quarters of an hour, for zones differ by those.

    Attributes:
        seconds: what is counted together.
        label: of SQLite's strftime.
        of_label: at most so many have the same label.
    """

    seconds: int
    label: str
    of_label: int


STEPS = {
    "minute": Step(60, "%Y-%m-%d %H:%M", 1),
    "hour": Step(900, "%Y-%m-%d %H:00", 4),
    "day": Step(900, "%Y-%m-%d", 100),
}
"""Days have up to 25 hours."""

_MOST_STEPS = 100


def step_of(seconds: float) -> str:
    """Return the step that divides a span of time into some tens of parts."""
    for step, its_seconds in (("minute", 60), ("hour", 3600)):
        if seconds <= _MOST_STEPS * its_seconds:
            return step
    return "day"


class UserClass(NamedTuple):
    """Users who are counted together; each pattern is a name in which `*` and `?` are wild."""

    name: str
    patterns: tuple[str, ...]


class Scope(NamedTuple):
    """A part of a log; what is empty or None limits nothing.

    Attributes:
        from_s: seconds since the epoch; commands that had ended by then are left out.
        to_s: seconds since the epoch; commands that began at that time or later are left out.
        users: patterns of names; so are `commands`, `programs`, `tables` and `servers`.
        pids: process numbers.
    """

    from_s: float | None = None
    to_s: float | None = None
    users: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    servers: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The patterns by the option that takes them, without empty ones."""
        every = {
            "user": self.users,
            "command": self.commands,
            "program": self.programs,
            "table": self.tables,
            "server": self.servers,
        }
        return {option: patterns for option, patterns in every.items() if patterns}


WHOLE = Scope()
"""All of a log."""


class Division(NamedTuple):
    """How an answer is divided.

    Attributes:
        limit: at most so many rows.
        end_s: the end of the log, in seconds since the epoch.
        step: a key of `STEPS`, for reports that go by time.
        at_s: the moment of a report on one moment; None is its end.
        classes: a user who fits two counts in the first.
    """

    limit: int
    end_s: float = 0
    step: str = "hour"
    at_s: float | None = None
    classes: tuple[UserClass, ...] = ()
