"""The sandbox server's list of running commands, for `p4 monitor`."""

from __future__ import annotations

import contextlib
import threading
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.wire import Message


class Process(NamedTuple):
    """A command that is running since `started_s`, a time of the monotonic clock."""

    number: int
    request: Message
    started_s: float


class Running:
    """The running commands of all client connections to a sandbox server."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._processes: dict[int, Process] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def noted(self, request: Message, started_s: float) -> Iterator[None]:
        """Keep a command in the list of running commands during the `with` block."""
        with self._lock:
            number = next(self._numbers)
            self._processes[number] = Process(number, request, started_s)
        try:
            yield
        finally:
            with self._lock:
                del self._processes[number]

    def all(self) -> list[Process]:
        """Return the sandbox server's running commands, in the order of their starts."""
        with self._lock:
            return list(self._processes.values())
