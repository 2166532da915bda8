from __future__ import annotations

import errno
import os
import stat

from p4warden.core.errors import os_errors_as
from p4warden.home import locks
from p4warden.home.trusted_files import HomeError


def append(home: str, name: str, line: bytes) -> None:
    """Append a line to a log in the home folder; the caller holds the log's lock.

    If an interrupted append left a line without its end, that end is added first.

    Raises:
        HomeError: the log is not trusted, or the line cannot be written whole (the file is then
            unchanged) or synced to disk.
    """
    path = os.path.join(home, name)  # noqa: PTH118 - paths are texts
    descriptor = locks.open_owned_file(home, path)
    try:
        with os_errors_as(HomeError, f"{path}: cannot be written"):
            _refuse_strange(path, os.fstat(descriptor))
            write_whole(descriptor, line)
    finally:
        os.close(descriptor)


def write_whole(descriptor: int, line: bytes) -> None:
    """Append lines to a log that is open for reading and writing, and sync them.

    Raises:
        OSError: the lines cannot be written whole (the file is then unchanged) or synced to disk.
    """
    end_bytes = os.lseek(descriptor, 0, os.SEEK_END)
    is_cut_off = end_bytes > 0 and os.pread(descriptor, 1, end_bytes - 1) != b"\n"
    content = b"\n" + line if is_cut_off else line
    try:
        written_bytes = os.pwrite(descriptor, content, end_bytes)
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, end_bytes)
        raise
    if written_bytes < len(content):
        os.ftruncate(descriptor, end_bytes)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _refuse_strange(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) or status.st_uid not in (0, os.geteuid()):
        raise HomeError(f"{path}: is not a regular file owned by this account or root")
