"""When the next round is due."""

from __future__ import annotations


def next_ns(start_ns: int, every_ns: int, now_ns: int) -> int:
    """Return the next of the times `start`, `start + every`, ... that is still to come.

    A round that took longer than the pause leaves the missed ones out: run one after the other
    they would press a slow server more.
    """
    return start_ns + ((now_ns - start_ns) // every_ns + 1) * every_ns
