"""One at a time: locks in the home folder, for commands that must not overlap.

A lock ends with the process that holds it, whatever ends that; its file stays, for removing it
would let two processes hold locks on different files of one name.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from p4warden import home

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def awaited(folder: str, name: str) -> Iterator[None]:
    """Hold the lock of that name, once no other process does.

    Raises:
        HomeError: its file cannot be used.
    """
    with _opened(folder, name) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def taken(folder: str, name: str) -> Iterator[bool]:
    """Hold the lock of that name and yield True; yield False where another process holds it.

    Raises:
        HomeError: its file cannot be used.
    """
    with _opened(folder, name) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextlib.contextmanager
def _opened(folder: str, name: str) -> Iterator[int]:
    """Yield the lock's file; one that root makes is given to the folder's owner."""
    path = os.path.join(folder, name)  # noqa: PTH118 - the home folder's paths are texts
    try:
        descriptor = os.open(path, _FLAGS, 0o600)
        if os.geteuid() == 0:
            owner = os.stat(folder)  # noqa: PTH116
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    except OSError as error:
        raise home.HomeError(f"{path}: cannot be locked: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)
