"""Locks between processes, on files of the home folder; a lock ends with its process."""

from __future__ import annotations

import fcntl
import os
import time

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files

DEPLOY = "deploy.lock"
"""Name of the lock file for commands that change the policy or the triggers table."""
DEPLOY_WAIT_S = 10.0
_TURN_S = 0.02


class LockHeldError(P4WardenError):
    """Error: another process holds the lock on a file of the home folder."""


class file_lock:  # noqa: N801 - used as a function, and `contextlib` costs a form trigger 5 ms
    """Context manager: hold a lock on a file of the home folder, and get the file's descriptor.

    Raises:
        LockHeldError: another process still holds the lock after that time.
        HomeError: the file cannot be opened.
    """

    def __init__(self, home: str, name: str, wait_s: float = 0.0) -> None:
        self._home, self._path, self._wait_s = home, os.path.join(home, name), wait_s
        self._descriptor = -1

    def __enter__(self) -> int:
        self._descriptor = open_owned_file(self._home, self._path)
        try:
            self._take()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self._descriptor

    def __exit__(self, *error: object) -> None:
        os.close(self._descriptor)

    def _take(self) -> None:
        end_s = time.monotonic() + self._wait_s
        while not _is_taken(self._descriptor):
            if time.monotonic() >= end_s:
                raise LockHeldError(
                    f"{self._path}: another p4warden is at work; wait for it to end"
                )
            time.sleep(_TURN_S)


def open_owned_file(home: str, path: str) -> int:
    """Open or create a lock file or log; as root, give it to the owner of the home folder.

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
