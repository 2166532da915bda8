from __future__ import annotations

from typing import NamedTuple

LOCK_WAITERS = "rtv.db.lockwait"


class Counter(NamedTuple):
    """A counter of a server's `rt.monitorfile`."""

    value: int
    maximum: int | None = None  # since the server started
