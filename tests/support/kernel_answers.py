"""Let the kernel answer one call of a program otherwise: by an error, or not at all.

Through a seccomp filter, which a program without shared libraries cannot evade.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Call(NamedTuple):
    """The calls by one number whose argument at a place has these bits."""

    number: int
    place: int
    mask: int
    bits: int


class _Numbers(NamedTuple):
    seccomp: int
    read_at: int
    open: int
    flags: int  # place among the arguments of `open`
    openat: int
    changing: tuple[int, ...]  # write, pwrite, writev, sendto, ftruncate, rename, link, unlink ...
    sleeps: tuple[int, int]


_NUMBERS = {
    "x86_64": _Numbers(
        *(317, 17, 2, 1, 257),
        (
            *(1, 18, 20, 44, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93),
            *(258, 260, 263, 264, 265, 266, 268, 280, 316),
        ),
        (35, 230),
    ),
    "aarch64": _Numbers(
        *(277, 67, 56, 2, 56),
        (34, 35, 36, 37, 38, 46, 52, 53, 54, 55, 64, 66, 68, 88, 206, 276),
        (101, 115),
    ),
}
_MODE, _LISTENER, _NO_NEW_PRIVILEGES = 1, 8, 38
_INHERITED = 99
_ALLOW, _FAIL, _ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
_LOAD, _AND, _IS, _RETURN = 0x20, 0x54, 0x15, 0x06
_ASKING = (_RETURN, 0, 0, _ASK)


def numbers() -> _Numbers:
    if platform.machine() not in _NUMBERS:
        pytest.skip("the numbers of this processor's calls are not known here")
    return _NUMBERS[platform.machine()]


def reads_of(length: int) -> Call:
    """Reads of so many bytes at a place of a file."""
    return Call(numbers().read_at, 2, 0xFFFFFFFF, length)


def opened_in_home() -> Call:
    """The gate opens the files of a home, and no others, without following links."""
    return Call(numbers().open, numbers().flags, os.O_NOFOLLOW, os.O_NOFOLLOW)


def is_asleep(pid: int) -> bool:
    """Return whether a process sleeps for a time."""
    number = Path(f"/proc/{pid}/syscall").read_text("ascii").split()[0]
    return number in map(str, numbers().sleeps)


def changes(number: int, words: Sequence[int]) -> bool:
    """Tell whether a call by this number changes something: an `open` only to write."""
    known = numbers()
    flags = {known.open: known.flags, known.openat: 2}
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    return number in known.changing or bool(words[flags[number]] & writing)


def failing(call: Call, error: int) -> Callable[[], None]:
    """Return a `preexec_fn` after which these calls fail with this error."""

    def fail() -> None:
        _filter(call, _FAIL | error, 0)

    return fail


def hanging(call: Call) -> Callable[[], None]:
    """Return a `preexec_fn` after which these calls wait until a signal comes.

    The program must inherit all files: the kernel asks a listener, which is one of them.
    """

    def hang() -> None:
        os.dup2(_filter(call, _ASK, _LISTENER), _INHERITED)

    return hang


_CONTENT, _ADD, _OPENED, _HERE = 4, 1, 0x10000, -100


@contextlib.contextmanager
def held(*files: Path) -> Iterator[None]:
    """Let whoever opens these files wait where no signal reaches it, as NFS does; only as root."""
    kernel = ctypes.CDLL(None)
    listener = kernel.fanotify_init(_CONTENT, os.O_RDONLY)
    if listener < 0:
        pytest.skip("the kernel asks nobody here about files that are opened")
    try:
        for file in files:
            mark = (_ADD, ctypes.c_uint64(_OPENED), _HERE, os.fsencode(file))
            assert kernel.fanotify_mark(listener, *mark) == 0
        yield
    finally:
        os.close(listener)


def notifier() -> int:
    """Return a file that tells of each call of this process that may change something."""
    known = numbers()
    asked = sorted({known.open, known.openat, *known.changing})
    compared = [(_IS, len(asked) - at, 0, number) for at, number in enumerate(asked)]
    return _install([(_LOAD, 0, 0, 0), *compared, (_RETURN, 0, 0, _ALLOW), _ASKING], _LISTENER)


def _filter(call: Call, action: int, flags: int) -> int:
    steps = [
        (_LOAD, 0, 0, 0),
        (_IS, 0, 4, call.number),
        (_LOAD, 0, 0, 16 + 8 * call.place),
        (_AND, 0, 0, call.mask),
        (_IS, 0, 1, call.bits),
        (_RETURN, 0, 0, action),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return _install(steps, flags)


def _install(steps: list[tuple[int, int, int, int]], flags: int) -> int:
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    kernel = ctypes.CDLL(None, use_errno=True)
    kernel.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    answer: int = kernel.syscall(numbers().seccomp, _MODE, flags, program)
    if answer < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return answer
