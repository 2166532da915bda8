from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """The SQL counts in units: minutes or quarter-hours, by which time zones differ."""

    seconds: int  # of a unit
    label: str  # for SQLite's strftime; units with the same label are added up
    max_units: int  # in one step


STEPS = {
    "minute": Step(60, "%Y-%m-%d %H:%M", 1),
    "hour": Step(900, "%Y-%m-%d %H:00", 4),
    "day": Step(900, "%Y-%m-%d", 100),
}
"""A local day has up to 25 hours, that is 100 quarter-hours."""

_MOST_STEPS = 100


def step_of(seconds: float) -> str:
    """Return `minute` for up to 100 minutes, `hour` for up to 100 hours, else `day`."""
    for step, its_seconds in (("minute", 60), ("hour", 3600)):
        if seconds <= _MOST_STEPS * its_seconds:
            return step
    return "day"


class UserClass(NamedTuple):
    name: str
    patterns: tuple[str, ...]  # of user names


class Scope(NamedTuple):
    """The part of a log that a report covers; an empty field or None does not restrict it."""

    from_s: float | None = None  # seconds since the epoch; commands that ended before are out
    to_s: float | None = None  # commands that began then or later are out
    users: tuple[str, ...] = ()  # patterns, as all other names
    commands: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    servers: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """By command line option."""
        every = {
            "user": self.users,
            "command": self.commands,
            "program": self.programs,
            "table": self.tables,
            "server": self.servers,
        }
        return {option: patterns for option, patterns in every.items() if patterns}


class Division(NamedTuple):
    limit: int  # rows
    end_s: float = 0  # last start or end in the log, in seconds since the epoch
    step: str = "hour"  # a key of `STEPS`
    at_s: float | None = None  # of a report on one moment; None for `end_s`
    classes: tuple[UserClass, ...] = ()  # a user who matches two counts in the first
