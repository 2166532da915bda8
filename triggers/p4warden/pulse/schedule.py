from __future__ import annotations


def next_ns(start_ns: int, every_ns: int, now_ns: int) -> int:
    """Return the next time after `now_ns` in the series `start_ns`, `start_ns + every_ns`, ...

    Missed rounds are skipped: running them immediately would burden a slow server further.
    """
    return start_ns + ((now_ns - start_ns) // every_ns + 1) * every_ns
