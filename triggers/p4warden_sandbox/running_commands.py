from __future__ import annotations

import contextlib
import threading
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.wire import Message


class RunningCommand(NamedTuple):
    """`started_s` is a time of the monotonic clock."""

    number: int
    request: Message
    started_s: float


class RunningCommands:
    def __init__(self) -> None:
        self._numbers = count(1)
        self._processes: dict[int, RunningCommand] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def registered(self, request: Message, started_s: float) -> Iterator[None]:
        with self._lock:
            number = next(self._numbers)
            self._processes[number] = RunningCommand(number, request, started_s)
        try:
            yield
        finally:
            with self._lock:
                del self._processes[number]

    def all(self) -> list[RunningCommand]:
        with self._lock:
            return list(self._processes.values())
