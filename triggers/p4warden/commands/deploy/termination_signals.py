"""Turn termination signals into exceptions, so that an interrupted command can clean up.

SIGHUP (as after a lost connection to the host) and SIGTERM would end Python immediately. After an
exception a deployment restores the old triggers table and deletes its temporary client.
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
def interrupt_on_termination() -> Iterator[None]:
    """Context manager: SIGHUP and SIGTERM raise `KeyboardInterrupt`, as Ctrl-C does."""
    before = {number: signal.signal(number, _interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
