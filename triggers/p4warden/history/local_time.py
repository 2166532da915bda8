from __future__ import annotations

import time


def time_text(time_s: float) -> str:
    """Convert seconds since the epoch to local date and time, `YYYY-MM-DD HH:MM:SS`."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time_s))
