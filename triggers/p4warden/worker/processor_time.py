"""Limit the processor time for parsing and judging one form in a trigger.

A form that takes too long is a finding: its author must not get the answer declared for faults
(`on_error`). Up to `FREE_NS` every worker process runs without waiting, and elapsed time does not
count. A worker that needs more waits for one of a few places, so that many workers together do not
keep each other from answering in time. A large form waits before it is parsed.
"""

from __future__ import annotations

import time

from p4warden.core.effort import OutOfTimeError
from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")
else:
    # `_signal` has the same calls as `signal`, which wraps them in enums and so costs each trigger
    # 2 ms.
    import _signal

FREE_NS = 200_000_000
LIMIT_NS = 1_000_000_000
"""Limit of processor time (ns) for parsing and judging one form."""

TICK_NS = 20_000_000
TOO_LARGE = "is too large to check; remove lines, or split it"
BUSY = (
    "cannot be checked now, because other large forms are being checked; save it again in a "
    "minute, or make it smaller"
)


class Allowance:
    """The limit of processor time for judging a form in a trigger.

    Args:
        has_place: waits for one of the few places for judging large forms; tells whether it got
            one.
        is_late: tells whether it is too late to answer before the gate's deadline.
        spent_ns: returns the processor time used by this process, in nanoseconds.
        interrupt: calls a function each time a given amount of processor time (ns) has been used,
            until `interrupt` is called with None.
    """

    def __init__(
        self,
        has_place: Callable[[], bool],
        is_late: Callable[[], bool],
        spent_ns: Callable[[], int] = time.process_time_ns,
        interrupt: Callable[[int, Callable[[], None] | None], None] | None = None,
    ) -> None:
        self._has_place, self._is_late, self._spent_ns = has_place, is_late, spent_ns
        self._interrupt = interrupt or interrupt_after
        self._is_placed = self._is_running = False
        self._began_ns = 0

    def wait(self) -> None:
        """Wait for one of the few places for judging large forms.

        Raises:
            OutOfTimeError: no place became free in time.
        """
        if not self._has_place():
            raise OutOfTimeError(BUSY)
        self._is_placed = True

    def within(self, work: Callable[[], Result]) -> Result:
        """Run `work`, such as judging a form, within the limit of processor time.

        Return its result.

        Raises:
            OutOfTimeError: the work took more than `LIMIT_NS`, or more than `FREE_NS` without a
                place for large forms, or has such a place and is too late for an answer.
        """
        self._began_ns, self._is_running = self._spent_ns(), True
        self._interrupt(TICK_NS, self._tick)
        try:
            return work()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop the timer that interrupts the judging of a form.

        Called once more after an `OutOfTimeError`, because an interrupt may still arrive while
        this function is entered for the first time.
        """
        self._is_running = False
        self._interrupt(TICK_NS, None)

    def _tick(self) -> None:
        if not self._is_running:
            return
        spent_ns = self._spent_ns() - self._began_ns
        if spent_ns > LIMIT_NS:
            raise OutOfTimeError(TOO_LARGE)
        if spent_ns > FREE_NS and not self._is_placed:
            self.wait()
        if self._is_placed and self._is_late():
            raise OutOfTimeError(BUSY)


def interrupt_after(processor_ns: int, call: Callable[[], None] | None) -> None:
    """Call `call` each time this process has used another `processor_ns` of processor time.

    It is called repeatedly, because an error raised where Python cannot propagate it is lost.
    None as `call` ends the calls of the earlier function.
    """
    if call is None:
        _signal.setitimer(_signal.ITIMER_PROF, 0)
        _signal.signal(_signal.SIGPROF, _signal.SIG_IGN)
        return
    _signal.signal(_signal.SIGPROF, lambda *_: call())
    _signal.setitimer(_signal.ITIMER_PROF, processor_ns / 1e9, processor_ns / 1e9)
