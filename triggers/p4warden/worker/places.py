"""Limit the number of processes that judge large or slow forms simultaneously.

Each of them takes one of a few places: it locks one of several files in the home folder.
"""

from __future__ import annotations

import fcntl
import os
import time

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.home import locks, trusted_files

if TYPE_CHECKING:
    from collections.abc import Callable

FILE_NAME = "judging-{}.lock"
MOST = 4
_TURN_S = 0.02


def number() -> int:
    """Return how many processes may judge large or slow forms simultaneously.

    One for each usable processor, at most `MOST`.
    """
    return min(len(os.sched_getaffinity(0)), MOST)


def take(
    home: str,
    places: int,
    until_s: float,
    now_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Take one of the places (lock files) for judging large forms, until this process ends.

    If the lock files cannot be opened, this process goes on without waiting: the gate's deadline
    still applies.

    Args:
        home: the p4warden home folder.
        places: the number of places.
        until_s: the latest time to wait for a place, in seconds of the clock `now_s`.
        now_s: returns the current time in seconds.
        sleep: waits for a number of seconds.

    Returns:
        True if a place became free in time, or the lock files cannot be opened.
    """
    try:
        files = [
            locks.open_owned_file(home, f"{home}/{FILE_NAME.format(n)}") for n in range(places)
        ]
    except trusted_files.HomeError:
        return True
    while not any(map(_is_locked, files)):
        if now_s() >= until_s:
            return False
        sleep(_TURN_S)
    return True


def _is_locked(descriptor: int) -> bool:
    """Try to lock a file until this process ends; tell whether the lock was obtained."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
