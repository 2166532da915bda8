"""Dates: in forms as local time, in tagged lists as seconds since the epoch."""

from __future__ import annotations

import time

_FORMAT = "%Y/%m/%d %H:%M:%S"


def now() -> str:
    """Return the current time in the date notation of Perforce forms."""
    return time.strftime(_FORMAT)


def now_with_zone() -> str:
    """Return the current time in the notation of `p4 info`: `2026/11/21 15:48:18 +0000 UTC`."""
    return time.strftime(f"{_FORMAT} %z %Z")


def seconds(date: str) -> str:
    """Convert a form's date to seconds since the epoch, `0` for no date."""
    return str(int(time.mktime(time.strptime(date, _FORMAT)))) if date else "0"


def day(date: str) -> str:
    """Return the day of a form's date, in the notation of lists."""
    return date.split(" ", 1)[0]


def of_seconds(seconds_s: int) -> str:
    """Convert seconds since 1970 to the date notation of Perforce forms."""
    return time.strftime(_FORMAT, time.localtime(seconds_s))
