"""Read and write the file `off` in the home folder, which makes every trigger allow everything.

All that a trigger needs is in the file's status, so that one system call decides. The file counts
if this account or root owns it. A plain mark is an empty file and holds until it is removed. A
mark with an end has the owner's execute bit, and its modification time is the end; a gate of a
release that does not know the bit takes it for a plain mark and stays off. A file that is not
empty marks an uninstallation.

The time of the last status change (ctime), which only the kernel sets, tells when the mark was
made. It limits the effect of a clock that is set back: the mark holds while the clock differs from
that time by less than the mark's length, so for twice its length at most, and not at all once the
clock is further back.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from p4warden.home import trusted_files
from p4warden.home.trusted_files import HomeError

FILE_NAME = "off"
_S = 10**9


class OffMark(NamedTuple):
    has_end: bool
    is_empty: bool
    made_ns: int
    end_ns: int

    def holds(self, now_ns: int) -> bool:
        if not self.has_end:
            return True
        length_ns = self.end_ns - self.made_ns
        return self.made_ns - length_ns < now_ns < self.end_ns


def of_status(status: os.stat_result) -> OffMark:
    """Read the mode, size and times of the file `off` from its `os.stat_result`."""
    return OffMark(
        has_end=bool(status.st_mode & stat.S_IXUSR),
        is_empty=status.st_size == 0,
        made_ns=status.st_ctime_ns,
        end_ns=status.st_mtime_ns,
    )


def read(home: str) -> OffMark | None:
    """Read the file `off` of a home folder, even if its end has passed.

    None if there is no such file, or if neither this account nor root owns it.
    """
    try:
        status = os.lstat(os.path.join(home, FILE_NAME))
    except OSError:
        return None
    return of_status(status) if status.st_uid in (0, os.geteuid()) else None


def is_off(home: str, now_ns: int) -> bool:
    """Tell whether a home's triggers are switched off at a time (nanoseconds since the epoch)."""
    mark = read(home)
    return mark is not None and mark.holds(now_ns)


def is_uninstalled(home: str) -> bool:
    """Tell whether a home's triggers are switched off because p4warden was uninstalled."""
    mark = read(home)
    return mark is not None and not mark.is_empty


def mark_off(home: str, until_s: int | None = None) -> None:
    """Switch off a home's triggers, until a time (in seconds since the epoch) or `p4warden on`.

    The file `off` is empty, so it can be created even on a full disk.

    Raises:
        HomeError: the file `off` cannot be created.
    """
    path = os.path.join(home, FILE_NAME)
    fresh = trusted_files.beside(path, "new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(fresh, flags, 0o600)
        try:
            _date(descriptor, until_s)
        finally:
            os.close(descriptor)
        os.replace(fresh, path)
    except OSError as error:
        trusted_files.forget(fresh)
        raise HomeError(f"{path}: cannot be made: {error.strerror}") from error


def _date(descriptor: int, until_s: int | None) -> None:
    if until_s is not None:
        os.utime(descriptor, ns=(until_s * _S, until_s * _S))
        os.fchmod(descriptor, 0o700)


def mark_uninstalled(home: str) -> None:
    """Write a file `off` that marks an uninstallation.

    With it, triggers that older connections still call allow everything.
    """
    trusted_files.replace(home, FILE_NAME, b"uninstalled\n")


def unmark_uninstalled(home: str) -> None:
    """Remove the mark of an uninstallation, the file `off`; one made by `p4warden off` stays."""
    if is_uninstalled(home):
        trusted_files.remove(home, FILE_NAME)
