"""The processor time in which one form is read and judged.

A form that takes too long is a finding: whoever writes one must not get the answer that is
declared for failures (`on_error`). The processor time of this process counts, not the time on the
clock, so a machine that is busy with other work changes no verdict; the gate's deadline stands
beside it. Up to `FREE_NS` every worker goes on at once. One that needs more waits for one of a few
places, so that many at once do not keep each other from an answer; a form known to be large waits
before it is read.
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
    import _signal  # the same calls; `signal` wraps them in enums, which costs each trigger 2 ms

FREE_NS = 200_000_000
LIMIT_NS = 1_000_000_000
"""The longest form that is read, 4 MiB or 50,000 lines, takes half of it (`make bench`)."""

TICK_NS = 20_000_000
TOO_LARGE = "is too large to judge; leave lines out, or split it"
BUSY = (
    "cannot be judged now, for other large forms are being judged; save it again in a minute, "
    "or make it smaller"
)


class Allowance:
    """The processor time that is left to judge a form.

    Args:
        has_place: waits for a place and tells whether there is one; asked once.
        is_late: tells whether a form with a place would get no answer before the gate's deadline.
        spent_ns: the processor time of this process.
        interrupt: calls a function whenever so much processor time (ns) was spent, until it is
            given None.
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
        """Wait for a place before any work.

        Raises:
            OutOfTimeError: there is none.
        """
        if not self._has_place():
            raise OutOfTimeError(BUSY)
        self._is_placed = True

    def within(self, work: Callable[[], Result]) -> Result:
        """Return what `work` returns.

        Raises:
            OutOfTimeError: it took more than `LIMIT_NS`, or more than `FREE_NS` without a place,
                or with a place came too late for an answer.
        """
        self._began_ns, self._is_running = self._spent_ns(), True
        self._interrupt(TICK_NS, self._tick)
        try:
            return work()
        finally:
            self.stop()

    def stop(self) -> None:
        """Interrupt nothing from here on; to be called once more after an `OutOfTimeError`.

        The interrupt may come while this is entered for the first time.
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
    """Call a function whenever this process has spent so much processor time.

    Again and again: an error that is raised where Python cannot pass it on is lost.
    """
    if call is None:
        _signal.setitimer(_signal.ITIMER_PROF, 0)
        _signal.signal(_signal.SIGPROF, _signal.SIG_IGN)
        return
    _signal.signal(_signal.SIGPROF, lambda *_: call())
    _signal.setitimer(_signal.ITIMER_PROF, processor_ns / 1e9, processor_ns / 1e9)
