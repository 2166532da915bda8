"""Locks between processes, on files of the home folder; a lock ends with its process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError, os_errors_as
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPLOY = "deploy.lock"
"""Name of the lock file for commands that change the policy or the triggers table."""
DEPLOY_WAIT_S = 10.0
_TURN_S = 0.02


class LockHeldError(P4WardenError):
    """Error: another process holds the lock on a file of the home folder."""


@contextlib.contextmanager
def file_lock(home: str, name: str, wait_s: float = 0.0) -> Iterator[int]:
    """Hold a lock on a file of the home folder, and yield the file's descriptor.

    Raises:
        LockHeldError: another process still holds the lock after that time.
        HomeError: the file cannot be opened.
    """
    path, end_s = os.path.join(home, name), time.monotonic() + wait_s
    while True:
        descriptor = open_owned_file(home, path)
        try:
            _wait(descriptor, path, end_s)
            if os.fstat(descriptor).st_nlink:
                yield descriptor
                return
        finally:
            os.close(descriptor)
        # The holder removed the file: it uninstalled p4warden, or failed in a home that was new.
        trusted_files.make(home)


@contextlib.contextmanager
def held_if_free(path: str) -> Iterator[bool]:
    """Yield whether no other process holds a lock; hold it then, if its file exists."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        yield True
        return
    try:
        yield _is_taken(descriptor)
    finally:
        os.close(descriptor)


def open_owned_file(home: str, path: str) -> int:
    """Open or create a lock file or log; as root, give it to the owner of the home folder.

    Raises:
        HomeError: the file cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with os_errors_as(trusted_files.HomeError, f"{path}: cannot be opened"):
        descriptor = os.open(path, flags, 0o600)
        if os.geteuid() == 0:
            owner = os.stat(home)
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def _wait(descriptor: int, path: str, end_s: float) -> None:
    while not _is_taken(descriptor):
        if time.monotonic() >= end_s:
            raise LockHeldError(f"{path}: another p4warden is at work; wait for it to end")
        time.sleep(_TURN_S)


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
