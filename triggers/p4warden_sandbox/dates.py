"""Times as forms write them, in local time, and as tagged lists do, in seconds since the epoch."""

from __future__ import annotations

import time

_FORMAT = "%Y/%m/%d %H:%M:%S"


def now() -> str:
    """Return this moment as a form writes it."""
    return time.strftime(_FORMAT)


def now_with_zone() -> str:
    """Return this moment as `p4 info` shows it: `2026/11/21 15:48:18 +0000 UTC`."""
    return time.strftime(f"{_FORMAT} %z %Z")


def seconds(date: str) -> str:
    """Return a form's date in seconds since the epoch, `0` for none."""
    return str(int(time.mktime(time.strptime(date, _FORMAT)))) if date else "0"


def day(date: str) -> str:
    """Return the day of a form's date, as lists show it."""
    return date.split(" ", 1)[0]


def of_seconds(seconds_s: int) -> str:
    """Return a time since the epoch as a form writes it."""
    return time.strftime(_FORMAT, time.localtime(seconds_s))
