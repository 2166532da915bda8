"""The part of p4d's log that a report covers; the report's rows, time steps and user classes."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """The time step of a report ordered by time: a minute, an hour or a day.

    The report's SQL counts in units: minutes, or quarter-hours for hours and days, because time
    zones differ by whole quarter-hours. Units with the same label are then added up.

    Attributes:
        seconds: the length of a unit.
        label: the format of a step's label for SQLite's strftime.
        max_units: the largest number of units in one step.
    """

    seconds: int
    label: str
    max_units: int


STEPS = {
    "minute": Step(60, "%Y-%m-%d %H:%M", 1),
    "hour": Step(900, "%Y-%m-%d %H:00", 4),
    "day": Step(900, "%Y-%m-%d", 100),
}
"""The time steps of reports on p4d's log: minute, hour and day. A local day has up to 25 hours,
that is 100 quarter-hours."""

_MOST_STEPS = 100


def step_of(seconds: float) -> str:
    """Return `minute` for up to 100 minutes, `hour` for up to 100 hours, else `day`."""
    for step, its_seconds in (("minute", 60), ("hour", 3600)):
        if seconds <= _MOST_STEPS * its_seconds:
            return step
    return "day"


class UserClass(NamedTuple):
    """A class of users counted together in a report; patterns (`*`, `?`) match user names."""

    name: str
    patterns: tuple[str, ...]


class Scope(NamedTuple):
    """The part of a log that a report covers; an empty field or None does not restrict it.

    Attributes:
        from_s: seconds since the epoch; commands that had ended before that time are left out, and
            commands without a logged end that began before it.
        to_s: seconds since the epoch; commands that began at that time or later are left out.
        users: patterns of user names; `commands`, `programs`, `tables` and `servers` are patterns
            of their names in the same way.
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
        """The patterns of names that limit a report, by the command line option that sets them."""
        every = {
            "user": self.users,
            "command": self.commands,
            "program": self.programs,
            "table": self.tables,
            "server": self.servers,
        }
        return {option: patterns for option, patterns in every.items() if patterns}


WHOLE_LOG = Scope()
"""The scope of a report on the whole of p4d's log."""


class Division(NamedTuple):
    """The division of a report on a log: rows, time steps and user classes.

    Attributes:
        limit: the largest number of rows.
        end_s: the latest start or end of a command in the log, in seconds since the epoch.
        step: a key of `STEPS`, for reports ordered by time.
        at_s: the time of a report on one moment, in seconds since the epoch; None for `end_s`.
        classes: the classes of users; a user who matches two counts in the first.
    """

    limit: int
    end_s: float = 0
    step: str = "hour"
    at_s: float | None = None
    classes: tuple[UserClass, ...] = ()
