from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from p4warden.policy import hours as hours_of_week
from p4warden.policy.hours import DAYS

_HOURS = re.compile(r"(\d{1,2})(?::(\d\d))?-(\d{1,2})(?::(\d\d))?")
_DAY_MINUTES = 24 * 60


class HoursError(ValueError):
    """A text is not a range of hours or days; the message shows the notation."""


class Hours(NamedTuple):
    """In minutes after midnight, possibly past midnight; the end is not included."""

    start_minute: int
    end_minute: int

    def has(self, minute: int) -> bool:
        if self.start_minute < self.end_minute:
            return self.start_minute <= minute < self.end_minute
        return minute >= self.start_minute or minute < self.end_minute


def hours(text: str) -> Hours:
    """Parse `9-18` or `8:30-17:00`.

    Raises:
        HoursError: the text is not a range of hours, or the range is empty.
    """
    match = _HOURS.fullmatch(text)
    if match:
        since, since_minute, till, till_minute = (int(part or 0) for part in match.groups())
        minutes = since * 60 + since_minute, till * 60 + till_minute
        minute_is_one = max(since_minute, till_minute) < 60  # noqa: PLR2004 - of an hour
        if minute_is_one and max(minutes) <= _DAY_MINUTES and minutes[0] != minutes[1]:
            return Hours(*minutes)
    raise HoursError(f"{text!r} is not a range of hours (write 9-18 or 8:30-17:00)")


def days(text: str) -> frozenset[int]:
    """Parse `mon-fri,sun` to days of the week; Monday is 0.

    Raises:
        HoursError: the text does not name days.
    """
    parts = [hours_of_week.days(part.strip()) for part in text.lower().split(",")]
    if not all(parts):
        raise HoursError(f"{text!r} is not a list of days (write mon-fri or mon,wed,fri)")
    return frozenset(DAYS.index(day) for part in parts for day in part)


def is_within(time_s: float, of_day: Hours | None, of_week: frozenset[int] | None) -> bool:
    """Tell whether a time in seconds since the epoch is within working hours, by local time."""
    moment = datetime.datetime.fromtimestamp(time_s)  # noqa: DTZ006 - people's own hours
    if of_week is not None and moment.weekday() not in of_week:
        return False
    return of_day is None or of_day.has(moment.hour * 60 + moment.minute)
