from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

import P4

from p4warden.server.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.server.reply import Row

BYSTANDERS = "bystander's fstat"
_REFUSED_BY_TRIGGER = "p4warden: rule="


class Summary(NamedTuple):
    """Of one command in one benchmark; `rate` is files in a second of all its runs, or None."""

    benchmark: str
    command: str
    runs: int
    median_ns: int | None  # None without a run, as the longest time
    max_ns: int | None
    refused: int = 0
    rate: float | None = None


class Timings:
    """Durations of commands, by name, from all threads; refusals by p4warden count apart."""

    def __init__(self) -> None:
        self._lapses: defaultdict[str, list[int]] = defaultdict(list)
        self._files: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def timed(self, name: str, files: int = 0) -> Iterator[None]:
        """Record the duration of a block that does not raise; a refusal by a rule ends it."""
        began_ns = time.monotonic_ns()
        try:
            yield
        except P4.P4Exception as error:
            if _REFUSED_BY_TRIGGER not in str(error):
                raise
            with self._lock:
                self._refused[name] += 1
            return
        lapse_ns = time.monotonic_ns() - began_ns
        with self._lock:
            self._lapses[name].append(lapse_ns)
            self._files[name] += files

    def run(self, p4: P4.P4, name: str, *command: str) -> list[Row]:
        """Return the rows of a command, whose duration is recorded; none if it was refused."""
        found: list[Row] = []
        with self.timed(name):
            found = rows(p4, *command)
        return found  # noqa: RET504 - a refusal ends the block before

    def summaries(self, benchmark: str) -> Iterator[Summary]:
        for name in dict.fromkeys((*self._lapses, *self._refused)):
            lapses, files = self._lapses[name], self._files[name]
            rate = files * 10**9 / sum(lapses) if files else None
            middle, most = (median_low(lapses), max(lapses)) if lapses else (None, None)
            yield Summary(benchmark, name, len(lapses), middle, most, self._refused[name], rate)


def rows(p4: P4.P4, *command: str) -> list[Row]:
    """Return the rows of a command; the connection says whether an error raises."""
    found: list[Row] = []
    Reply(found.append).receive(p4, *command)
    return found


@contextlib.contextmanager
def repeated(work: Callable[[], object]) -> Iterator[None]:
    """Run `work` again and again in a thread during the block; its error is raised at the end."""
    has_ended = threading.Event()

    def repeat() -> None:
        while not has_ended.is_set():
            work()

    with ThreadPoolExecutor() as pool:
        repetition = pool.submit(repeat)
        try:
            yield
        finally:
            has_ended.set()
        repetition.result()


def at_once(works: list[Callable[[], object]]) -> None:
    """Run all in threads; raise the first error after all have ended."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work) for work in works]:
            running.result()
