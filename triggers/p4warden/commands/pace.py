from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Pace:
    """Delays p4 commands to keep a minimum interval; a pause allows no burst afterwards."""

    def __init__(
        self, interval_ns: int, now_ns: Callable[[], int], sleep: Callable[[float], None]
    ) -> None:
        self._interval_ns = interval_ns
        self._now_ns = now_ns
        self._sleep = sleep
        self._next_ns: int | None = None

    def wait(self) -> None:
        now_ns = self._now_ns()
        turn_ns = now_ns if self._next_ns is None else max(now_ns, self._next_ns)
        if turn_ns > now_ns:
            self._sleep((turn_ns - now_ns) / 10**9)
        self._next_ns = turn_ns + self._interval_ns
