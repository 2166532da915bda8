"""Pytest plugin: fail a test that reaches its time limit, and kill the processes it started.

pytest-timeout raises an exception in the main thread on a signal. Before that, this plugin kills
the processes that the test has started, because `Popen.__exit__` waits for them. A command of
P4Python delays the signal, so a timer in another thread kills the processes a second after the
limit; and P4Python crashes on an exception during a command (observed with 2026.1), so the
exception is raised after the command. If none of this ends the test, `faulthandler_timeout` in
setup.cfg ends the whole test run.
"""

import contextlib
import signal
import threading
import traceback
from collections.abc import Generator
from types import FrameType
from typing import Protocol

import P4
import psutil
import pytest

_LATER_S = 1
_TIMER = pytest.StashKey[threading.Timer]()
_LATE = pytest.StashKey[bool]()


class Settings(Protocol):
    """Protocol of a test's pytest-timeout settings, of which only the limit in seconds is read."""

    timeout: float


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(
    item: pytest.Item, settings: Settings
) -> Generator[None, object, object]:
    """Hook of pytest-timeout: kill the test's processes on its signal, and by a later timer."""
    result = yield
    fail = signal.getsignal(signal.SIGALRM)
    assert callable(fail)

    def end(number: int, frame: FrameType | None) -> None:
        item.stash[_LATE] = True
        end_children()
        if _is_within_p4python(frame):
            signal.setitimer(signal.ITIMER_REAL, _LATER_S)
        else:
            fail(number, frame)

    signal.signal(signal.SIGALRM, end)
    item.stash[_TIMER] = timer = threading.Timer(settings.timeout + _LATER_S, end_children)
    timer.daemon = True
    timer.start()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hook of pytest: fail a test that reached its time limit during a P4Python command.

    Such a test was not interrupted and has ended by itself afterwards, perhaps with an error of
    the command whose processes were killed.
    """
    try:
        result = yield
    except Exception:
        _fail_if_late(item)
        raise
    _fail_if_late(item)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> Generator[None, object, object]:
    """Hook of pytest-timeout: also cancel the timer that would kill the test's processes."""
    timer = item.stash.get(_TIMER, None)
    if timer:
        timer.cancel()
        timer.join()
    return (yield)


def end_children() -> None:
    """Kill all child processes of the test process, and their descendants."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _fail_if_late(item: pytest.Item) -> None:
    if item.stash.get(_LATE, False):
        # A later signal would interrupt pytest itself while it reports this failure.
        signal.setitimer(signal.ITIMER_REAL, 0)
        pytest.fail("Timeout: a command of P4Python reached the time limit of the test")


def _is_within_p4python(frame: FrameType | None) -> bool:
    return any(at.f_code.co_filename == P4.__file__ for at, _ in traceback.walk_stack(frame))
