"""Kill a program at one of its calls that change a file, the triggers table or an output."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
from typing import TYPE_CHECKING, NamedTuple

from support.kernel_answers import changes, notifier

if TYPE_CHECKING:
    from collections.abc import Callable

NEVER = 0
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1
_ORPHANS_HERE = 36  # PR_SET_CHILD_SUBREAPER


class _Notice(ctypes.Structure):
    """`struct seccomp_notif` of the kernel."""

    _fields_ = (
        *(("id", ctypes.c_uint64), ("pid", ctypes.c_uint32), ("flags", ctypes.c_uint32)),
        *(("number", ctypes.c_int32), ("arch", ctypes.c_uint32), ("at", ctypes.c_uint64)),
        ("words", ctypes.c_uint64 * 6),
    )


class _Answer(ctypes.Structure):
    """`struct seccomp_notif_resp` of the kernel."""

    _fields_ = (
        *(("id", ctypes.c_uint64), ("value", ctypes.c_int64)),
        *(("error", ctypes.c_int32), ("flags", ctypes.c_uint32)),
    )


class Ended(NamedTuple):
    """How a program ended: its exit code, negative for a signal, and its changing calls."""

    code: int
    calls: int


def ended(act: Callable[[], int], place: int = NEVER) -> Ended:
    """Run a function in a process that is killed, with its children, at its n-th change.

    Returns once all have ended, however long that takes on a busy machine.
    """
    ours, theirs = socket.socketpair()
    kernel = ctypes.CDLL(None)
    kernel.prctl(_ORPHANS_HERE, 1, 0, 0, 0)
    process = os.fork()
    if process == 0:
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            listener = notifier()
            socket.send_fds(theirs, [b"listener"], [listener])
            os.close(listener)
            os._exit(act())
        os._exit(3)
    theirs.close()
    with ours:
        [listener] = socket.recv_fds(ours, 16, 1)[1]
    try:
        calls = _watch(listener, process, place)
    finally:
        os.close(listener)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process, 0)
    kernel.prctl(_ORPHANS_HERE, 0, 0, 0, 0)
    return Ended(code, calls)


def _watch(listener: int, process: int, place: int) -> int:
    """Answer for the kernel until no process asks any more; return the number of changes."""
    calls, poll = 0, select.poll()
    poll.register(listener, select.POLLIN)
    while poll.poll()[0][1] & select.POLLIN:
        notice = _Notice()
        with contextlib.suppress(OSError):  # of a process that has been killed meanwhile
            fcntl.ioctl(listener, _RECEIVE, notice)
            calls += changes(notice.number, notice.words)
            if place != NEVER and calls >= place:
                os.kill(notice.pid, signal.SIGKILL)  # it may have a group of its own
                os.killpg(process, signal.SIGKILL)
            else:
                fcntl.ioctl(listener, _SEND, _Answer(notice.id, 0, 0, _GO_ON))
    return calls
