from __future__ import annotations

import time


def time_text(time_s: float) -> str:
    """Convert seconds since the epoch to local date and time, `YYYY-MM-DD HH:MM:SS`."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))


def minute_text(time_s: float) -> str:
    """Convert seconds since the epoch to local date and time, `YYYY-MM-DD HH:MM`."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(time_s))


def local_day(time_s: float | None) -> str:
    """Return the local date, `YYYY-MM-DD`, of seconds since the epoch; None stands for now."""
    return time.strftime("%Y-%m-%d", time.localtime(time_s))
