"""The list of p4 commands that run on the sandbox server, for `p4 monitor`."""

from __future__ import annotations

import contextlib
import threading
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.wire import Message


class RunningCommand(NamedTuple):
    """Record of a p4 command in progress; `started_s` is a time of the monotonic clock."""

    number: int
    request: Message
    started_s: float


class RunningCommands:
    """The p4 commands in progress on a sandbox server, as `p4 monitor show` lists them."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._processes: dict[int, RunningCommand] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def registered(self, request: Message, started_s: float) -> Iterator[None]:
        """Keep a p4 command in the sandbox's list of running ones during a `with` block."""
        with self._lock:
            number = next(self._numbers)
            self._processes[number] = RunningCommand(number, request, started_s)
        try:
            yield
        finally:
            with self._lock:
                del self._processes[number]

    def all(self) -> list[RunningCommand]:
        """Return the p4 commands that run on the sandbox, in the order of their start."""
        with self._lock:
            return list(self._processes.values())
