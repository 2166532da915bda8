"""Times of the history in this host's local time."""

from __future__ import annotations

import time


def shown(time_s: float) -> str:
    """Return a time in seconds since the epoch as local date and time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))
