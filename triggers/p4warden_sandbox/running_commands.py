from __future__ import annotations

import contextlib
import threading
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.wire import Message


class RunningCommand(NamedTuple):
    """`started_s` is a time of the monotonic clock. A marked command ends at its next check."""

    number: int
    request: Message
    started_s: float
    mark: threading.Event


class RunningCommands:
    """A connection keeps its number for all its commands, one after the other."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._processes: dict[int, RunningCommand] = {}
        self._lock = threading.Lock()

    def new_number(self) -> int:
        with self._lock:
            return next(self._numbers)

    @contextlib.contextmanager
    def registered(
        self, number: int, request: Message, started_s: float
    ) -> Iterator[RunningCommand]:
        command = RunningCommand(number, request, started_s, threading.Event())
        with self._lock:
            self._processes[number] = command
        try:
            yield command
        finally:
            with self._lock:
                del self._processes[number]

    def all(self) -> list[RunningCommand]:
        with self._lock:
            return list(self._processes.values())

    def find(self, number: int) -> RunningCommand | None:
        with self._lock:
            return self._processes.get(number)
