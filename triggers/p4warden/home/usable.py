from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError, WrongAccountError, os_errors_as
from p4warden.home import leftovers, public_file, trusted_files
from p4warden.home.account import owner_of
from p4warden.home.trusted_files import HomeError

if TYPE_CHECKING:
    from collections.abc import Iterable

_PROBE_BYTES = 1 << 20


class UnwritableError(HomeError):
    """Error: a home folder's file system takes no writes: it is read-only, full or broken."""


def refuse_unusable(home: str) -> None:
    """Check that this account can change a home folder, or make it if it is missing.

    Raises:
        WrongAccountError: the folder belongs to another account.
        UnwritableError: nothing can be written into the folder, as on a full disk.
        HomeError: the folder or a file in it is closed to this account.
    """
    with os_errors_as(UnwritableError, f"{home}: cannot be written"):
        if os.path.isdir(home):  # noqa: PTH112 - homes are texts
            _refuse_other_owner(home)
            _refuse_unwritable(home)
            for folder in (home, f"{home}/history"):
                leftovers.remove(folder)
            _refuse_full(f"{home}/.space")
        else:
            _refuse_unmakeable(home)


def is_read_only(home: str) -> bool:
    """Tell whether a home folder's file system is mounted read-only."""
    return bool(os.statvfs(home).f_flag & os.ST_RDONLY)


def unwritable(home: str) -> str:
    """Return why a home folder takes no writes, as on a full disk; empty if it does."""
    try:
        if is_read_only(home):
            return f"{home} is on a read-only file system"
        _refuse_full(f"{home}/.space")
    except OSError as error:
        return f"{home}: cannot be written: {error.strerror}"
    return ""


def refuse_other_owner(home: str) -> None:
    """Check that a home folder, if it exists, belongs to this account or to root."""
    with contextlib.suppress(OSError):
        account = owner_of(home)
        if account.user_id not in (0, os.geteuid()):
            raise WrongAccountError(f"{home} belongs to {account.name}", account.name)


def refuse_unwritable(*files: str | None) -> None:
    """Check that this account can write or replace files outside the home folder; skip None.

    Raises:
        P4WardenError: a file's folder is missing or closed, or the disk is full.
    """
    for path in filter(None, files):
        if public_file.is_special(path):
            continue
        file = Path(path).absolute()
        leftovers.remove(str(file.parent), file.name)
        _refuse_closed(path, file.parent)
        with os_errors_as(P4WardenError, f"{path}: cannot be written"):
            _refuse_full(path)


def refuse_unwritable_folder(folder: str) -> None:
    """Check that this account can write files into a folder, or make it if it is missing."""
    path = Path(folder).absolute()
    present = next(one for one in (path, *path.parents) if one.exists())
    leftovers.remove(folder)
    with os_errors_as(P4WardenError, folder):
        if not present.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        _refuse_closed(f"{present}/.space", present)
        _refuse_full(f"{present}/.space")


def _refuse_closed(path: str, folder: Path) -> None:
    if not folder.is_dir() or Path(path).is_dir():
        number = errno.EISDIR if Path(path).is_dir() else errno.ENOENT
        raise P4WardenError(f"{path}: cannot be written: {os.strerror(number)}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise P4WardenError(
            f"{path}: cannot be written; run this as {owner_of(str(folder)).name}, the account "
            f"that {folder} belongs to, or name another folder"
        )


def _refuse_other_owner(home: str) -> None:
    account = owner_of(home)
    if not account.is_own:
        raise WrongAccountError(f"{home} belongs to {account.name}", account.name)


def _refuse_unwritable(home: str) -> None:
    if not os.access(home, os.W_OK | os.X_OK):
        if is_read_only(home):
            raise UnwritableError(f"{home} is on a read-only file system")
        raise P4WardenError(f"{home} is closed; run chmod 700 {home}")
    refuse_unreadable(home, os.listdir(home))  # noqa: PTH208 - homes are texts


def refuse_unreadable(home: str, names: Iterable[str]) -> None:
    """Check that this account can read these files of a home; those that are gone are skipped."""
    for name in names:
        path = os.path.join(home, name)  # noqa: PTH118 - homes are texts
        with contextlib.suppress(FileNotFoundError):
            is_file = stat.S_ISREG(os.lstat(path).st_mode)
            if is_file and not os.access(path, os.R_OK) and os.path.lexists(path):
                owner = owner_of(home).name
                raise HomeError(f"{path} cannot be read; as root run chown {owner} {path}")


def _refuse_full(file: str) -> None:
    """Write a temporary file, because free space says nothing about quotas and limits."""
    path = Path(trusted_files.beside(file, "new"))
    try:
        with path.open("xb") as probe:
            probe.write(bytes(_PROBE_BYTES))
    finally:
        path.unlink(missing_ok=True)


def _refuse_unmakeable(home: str) -> None:
    parent = next(folder for folder in Path(home).parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise HomeError(
            f"{home} does not exist, and cannot be made by this account; as root run "
            f"install -d -m 700 -o {owner_of('/proc/self').name} {home}"
        )
