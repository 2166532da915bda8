"""A few places for workers that judge large forms, shared by all processes of a home folder."""

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
    """Return the number of places: one for each usable processor, at most `MOST`."""
    return min(len(os.sched_getaffinity(0)), MOST)


def taken(
    home: str,
    places: int,
    until_s: float,
    now_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Take a place until this process ends; tell whether one was free in time.

    Where the files cannot be opened there are no places to wait for, and every worker goes on:
    the gate's deadline still stands.

    Args:
        home: the home folder.
        places: how many there are.
        until_s: the last moment to wait for one, as `now_s` tells it.
        now_s: the clock.
        sleep: waits so many seconds.
    """
    try:
        files = [locks.opened(home, f"{home}/{FILE_NAME.format(n)}") for n in range(places)]
    except trusted_files.HomeError:
        return True
    while not any(map(_is_locked, files)):
        if now_s() >= until_s:
            return False
        sleep(_TURN_S)
    return True


def _is_locked(descriptor: int) -> bool:
    """Lock a file, which stays locked until this process ends; tell whether it is."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
