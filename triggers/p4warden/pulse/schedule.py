"""Computation of the time of the next round of measurements by `p4warden pulse`."""

from __future__ import annotations


def next_ns(start_ns: int, every_ns: int, now_ns: int) -> int:
    """Return the next time after `now_ns` in the series `start_ns`, `start_ns + every_ns`, ...

    If a round took longer than the interval, the missed rounds are skipped: running them
    immediately would burden a slow server further.
    """
    return start_ns + ((now_ns - start_ns) // every_ns + 1) * every_ns
