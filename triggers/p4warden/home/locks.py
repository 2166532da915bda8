"""Lock a file of the home folder; the lock ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time

from p4warden.core.errors import P4WardenError
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPLOY = "deploy.lock"
"""Lock held by a command that changes the policy or the triggers table."""
_TURN_S = 0.02


class Busy(P4WardenError):  # noqa: N818 - a state of the file, not an error of ours
    """Another process holds the lock."""


@contextlib.contextmanager
def held(home: str, name: str, wait_s: float = 0.0) -> Iterator[int]:
    """Lock a file and yield its descriptor.

    Args:
        home: the home folder.
        name: the file's name; a missing file is created.
        wait_s: time to wait for other holders of the lock.

    Raises:
        Busy: another process still holds the lock after that time.
        HomeError: the file cannot be opened.
    """
    path = os.path.join(home, name)
    descriptor = opened(home, path)
    try:
        end_s = time.monotonic() + wait_s
        while not _is_taken(descriptor):
            if time.monotonic() >= end_s:
                raise Busy(f"{path}: another p4warden is at work; wait for it to end")
            time.sleep(_TURN_S)
        yield descriptor
    finally:
        os.close(descriptor)


def opened(home: str, path: str) -> int:
    """Open a file to be locked; a file created by root is given to the owner of the folder.

    Raises:
        HomeError: the file cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
        if os.geteuid() == 0:
            owner = os.stat(home)
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    except OSError as error:
        raise trusted_files.HomeError(f"{path}: cannot be opened: {error.strerror}") from error
    return descriptor


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
