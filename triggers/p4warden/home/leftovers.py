from __future__ import annotations

import os
import re
import stat

from p4warden.home import trusted_files

_NAME = re.compile(
    r"(?P<file>.+)\.p4warden-(?P<process>[0-9]{1,9})\.(new|old)"
    r"(-journal|-wal|-shm)?",  # of SQLite, beside a database
    re.DOTALL,
)


def remove(folder: str, *files: str) -> None:
    """Remove this account's leftovers of dead processes; with `files` only those of these files.

    A leftover that cannot be removed stays; the command that needs its place says so.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 - folders are texts
    except OSError:
        return
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None or (files and match["file"] not in files):
            continue
        path = os.path.join(folder, name)  # noqa: PTH118 - as above
        if _is_own(path) and not _lives(int(match["process"])):
            trusted_files.forget(path)


def _is_own(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def _lives(process: int) -> bool:
    """Tell whether another process has this number; this one has not made any file yet."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return process != os.getpid()
