"""Turn termination signals into exceptions while the triggers table is being changed.

A lost connection to the host (SIGHUP) or a stopped service (SIGTERM) would end Python immediately;
as an exception the signal lets a deployment restore the old table and delete its temporary client.
"""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def as_an_exception() -> Iterator[None]:
    """Context manager: SIGHUP and SIGTERM raise `KeyboardInterrupt`, as Ctrl-C does."""
    before = {number: signal.signal(number, _interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
