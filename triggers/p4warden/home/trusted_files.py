"""Read and safely replace the files of the home folder that triggers trust.

A file is not read unless it is a regular file, no link, owned by this account or root and not
writable by others: an account that could write the policy could exempt anyone. The same holds for
the folder. Files are replaced by rename, so that a reader sees either the old or the new file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError, os_errors_as

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

DEFAULT = "/var/lib/p4warden"
INDEX = "checkpoint.index"
"""Name of the home's file with the index of a checkpoint, needed only by rules with estimates."""

SAVED_FORMS, ADMITTED, TURNS = "saved_forms", "admitted.json", "turns"
"""Names of files that only the gate writes and reads."""

MAX_FILE_BYTES = 64 * 1024 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class HomeError(P4WardenError):
    """Error: a home file or folder cannot be used, or is not trusted; the text names it."""


class MissingFileError(HomeError):
    """Error: a file of the home folder does not exist."""


def index_path(home: str) -> str | None:
    """Return the path of the checkpoint index in a home folder; None without an index."""
    return f"{home}/{INDEX}" if has(home, INDEX) else None


def read(home: str, name: str) -> bytes:
    """Return the content of a file of the home folder.

    Raises:
        HomeError: the file is missing or too large, or the file or the home folder is not trusted.
    """
    path = os.path.join(home, name)
    with os_errors_as(HomeError, path), open_file(home, name) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise HomeError(
            f"{path}: is larger than {MAX_FILE_BYTES // 1024**2} MiB, the limit for p4warden's "
            "files; move it away, so that p4warden can create a new one"
        )
    return content


def read_if_there(home: str, name: str) -> bytes | None:
    """Return the content of a file of the home folder, None if the file does not exist."""
    try:
        return read(home, name)
    except MissingFileError:
        return None


def has(home: str, name: str) -> bool:
    """Tell whether a home folder contains a file; False if the folder may not be searched.

    Rehearsals run under accounts other than p4d's, which have no access to its home folder.
    """
    return os.path.exists(os.path.join(home, name))


def open_file(home: str, name: str) -> BinaryIO:
    """Open a file of the home folder for reading in binary mode.

    Raises:
        HomeError: the file is missing, or the file or the home folder is not trusted.
    """
    path = os.path.join(home, name)
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(path, flags)
        try:
            _refuse_untrusted(path, os.fstat(descriptor))
            _refuse_untrusted_folder(home)
        except BaseException:
            os.close(descriptor)
            raise
    except OSError as error:
        kind = MissingFileError if error.errno == errno.ENOENT else HomeError
        problem = "is a symbolic link" if error.errno == errno.ELOOP else error.strerror
        raise kind(f"{path}: {problem}") from error
    return os.fdopen(descriptor, "rb")


def replace(home: str, name: str, content: bytes) -> None:
    """Write a file of the home folder as `replacing` does."""
    with replacing(home, name) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(home: str, name: str) -> Iterator[BinaryIO]:
    """Yield a new file for the home folder, which replaces the old one by rename at the end.

    If root runs this, the file is given to the folder's owner, whose triggers must read it.

    Raises:
        HomeError: the file cannot be written (the old file is then unchanged), or the folder
            cannot be synced.
    """
    path = os.path.join(home, name)
    fresh = beside(path, "new")
    try:
        descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
                if os.geteuid() == 0:
                    owner = os.stat(home)
                    os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException as error:
        forget(fresh)
        if isinstance(error, OSError):
            raise HomeError(f"{path}: cannot be written: {error.strerror}") from error
        raise


def remove(home: str, name: str) -> None:
    """Remove a file of the home folder, if it exists."""
    path = os.path.join(home, name)
    with os_errors_as(HomeError, f"{path}: cannot be removed"):
        if os.path.lexists(path):  # a read-only file system refuses even if there is no file
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def make(home: str) -> None:
    """Create the home folder, accessible to this account only, unless it exists.

    Raises:
        HomeError: the folder cannot be created, or others have write access to it.
    """
    with os_errors_as(HomeError, f"{home}: cannot be made"):
        os.makedirs(home, mode=0o700, exist_ok=True)
        _refuse_open_folder(home, os.stat(home))


def distrust(status: os.stat_result) -> str | None:
    """Return why a home's file is not to be trusted, by its status; None if it is trusted.

    `triggers/gate/src/home/folder.rs` decides in the same way.
    """
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if _is_foreign(status):
        return _foreign(status)
    if status.st_mode & _WRITABLE_BY_OTHERS:
        return "others have write access to it"
    return None


def _refuse_untrusted(path: str, status: os.stat_result) -> None:
    problem = distrust(status)
    if problem:
        raise HomeError(f"{path}: {problem}")


def _refuse_untrusted_folder(home: str) -> None:
    status = os.stat(home)
    if _is_foreign(status):
        raise HomeError(f"{home}: {_foreign(status)}")
    _refuse_open_folder(home, status)


def _refuse_open_folder(home: str, status: os.stat_result) -> None:
    if status.st_mode & _WRITABLE_BY_OTHERS:
        raise HomeError(f"{home}: others have write access to it; run chmod 700 {home}")


def _is_foreign(status: os.stat_result) -> bool:
    return status.st_uid not in (0, os.geteuid())


def _foreign(status: os.stat_result) -> str:
    return f"is owned by account {status.st_uid}, neither p4warden's account nor root"


def beside(path: str, ending: str) -> str:
    """Return the path of an unfinished (`new`) or kept (`old`) file of this process.

    `leftovers.remove` removes it after the process was killed.
    """
    return f"{path}.p4warden-{os.getpid()}.{ending}"


def forget(path: str) -> None:
    """Remove an unfinished file, if possible; for errors that are reported already."""
    with contextlib.suppress(OSError):
        os.unlink(path)
