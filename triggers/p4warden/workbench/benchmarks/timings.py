from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BYSTANDERS = "bystander's fstat"


class Summary(NamedTuple):
    """Of one command in one benchmark; `rate` is files in a second of all its runs, or None."""

    benchmark: str
    command: str
    runs: int
    median_ns: int
    p90_ns: int
    p99_ns: int
    max_ns: int
    refused: int = 0
    rate: float | None = None


class Timings:
    """Durations of commands, by name, from all threads; a refusal by a trigger counts apart."""

    def __init__(self) -> None:
        self._lapses: dict[str, list[int]] = {}
        self._files: dict[str, int] = {}
        self._refused: dict[str, int] = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def timed(self, name: str, files: int = 0) -> Iterator[None]:
        """Record the duration of a block that does not raise."""
        began_ns = time.monotonic_ns()
        yield
        lapse_ns = time.monotonic_ns() - began_ns
        with self._lock:
            self._lapses.setdefault(name, []).append(lapse_ns)
            self._files[name] = self._files.get(name, 0) + files

    def refuse(self, name: str) -> None:
        with self._lock:
            self._refused[name] = self._refused.get(name, 0) + 1

    def summaries(self, benchmark: str) -> list[Summary]:
        names = dict.fromkeys((*self._lapses, *self._refused))
        return [self._summary(benchmark, name) for name in names]

    def _summary(self, benchmark: str, name: str) -> Summary:
        lapses = sorted(self._lapses.get(name, ()))
        files, refused = self._files.get(name, 0), self._refused.get(name, 0)
        rate = files * 10**9 / sum(lapses) if files else None
        median, p90, p99, most = (quantile(lapses, share) for share in (0.5, 0.9, 0.99, 1))
        return Summary(benchmark, name, len(lapses), median, p90, p99, most, refused, rate)


def quantile(ordered: list[int], share: float) -> int:
    """Return the smallest value that at least this share of an ordered list does not exceed."""
    if not ordered:
        return 0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


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
