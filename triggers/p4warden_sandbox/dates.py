from __future__ import annotations

import time

_FORMAT = "%Y/%m/%d %H:%M:%S"


def now() -> str:
    """Return the current local time in the date format of Perforce forms."""
    return time.strftime(_FORMAT)


def now_with_zone() -> str:
    """Return the current time in the date format of `p4 info`: `2026/11/21 15:48:18 +0000 UTC`."""
    return time.strftime(f"{_FORMAT} %z %Z")


def seconds(date: str) -> str:
    """Convert a date of a form to seconds since the epoch, as text; `0` for an empty date."""
    return str(int(time.mktime(time.strptime(date, _FORMAT)))) if date else "0"


def day(date: str) -> str:
    """Return the day `YYYY/MM/DD` of a date and time in a Perforce form."""
    return date.split(" ", 1)[0]
