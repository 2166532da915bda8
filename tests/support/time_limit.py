"""Fail a test that reaches its time limit, and end the processes that it has started.

pytest-timeout raises an exception in the main thread. Here its signal first kills the processes
that the test has started: `Popen.__exit__` waits for them. A command of P4Python delays the
signal, so a timer in another thread kills its trigger a second later; and P4Python crashes on an
exception during a command (observed with 2026.1), so the exception waits for the command's end. If
none of this ends the test, `faulthandler_timeout` in setup.cfg ends the whole run.
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
    """The settings of pytest-timeout for one test that `time_limit` uses."""

    timeout: float


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(
    item: pytest.Item, settings: Settings
) -> Generator[None, object, object]:
    """Kill the test's processes before pytest-timeout handles its signal."""
    done = yield
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
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that reached its limit within a command of P4Python and ended afterwards."""
    done = yield
    if item.stash.get(_LATE, False):
        pytest.fail("Timeout: a command of P4Python reached the time limit of the test")
    return done


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> Generator[None, object, object]:
    """Cancel the test's time limit, including the timer thread that kills hanging triggers."""
    timer = item.stash.get(_TIMER, None)
    if timer:
        timer.cancel()
        timer.join()
    return (yield)


def end_children() -> None:
    """Kill the child processes of this process and all their descendants."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _is_within_p4python(frame: FrameType | None) -> bool:
    return any(at.f_code.co_filename == P4.__file__ for at, _ in traceback.walk_stack(frame))
