from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Mapping

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write(path: str, text: str, mode: int | None = None) -> None:
    """Write or replace a file, as `write_all` does."""
    write_all({path: text}, mode)


def write_all(texts: Mapping[str, str], mode: int | None = None, *, replaces: bool = True) -> None:
    """Write files, all or none; a device or pipe is written directly.

    Args:
        texts: the content by path; the folders must exist.
        mode: the access rights, as `0o644`; None for those of the umask.
        replaces: whether old files are replaced; else they are an error.

    Raises:
        P4WardenError: a file cannot be written; all old files are then unchanged.
    """
    begun: list[str] = []
    path = ""
    try:
        for path, text in texts.items():
            _make(path, text, mode)
        for path in texts:
            begun.append(path)
            _give_name(path, replaces=replaces, is_only=len(texts) == 1)
    except BaseException as error:
        for one in begun:
            _take_back(one, is_new=one != path)
        if isinstance(error, OSError):
            raise P4WardenError(f"{path}: cannot be written: {error.strerror}") from error
        raise
    finally:
        for one in texts:
            trusted_files.forget(_new(one))
            trusted_files.forget(_old(one))


def write_folder(folder: str, texts: Mapping[str, str], mode: int = 0o777) -> None:
    """Write files into a folder, all or none; make the folder, with this mode, if it is missing.

    Raises:
        P4WardenError: a file or the folder cannot be written; old files are then unchanged.
    """
    missing = [one for one in (Path(folder), *Path(folder).parents) if not one.exists()]
    try:
        for one in reversed(missing):
            one.mkdir(mode=mode, exist_ok=True)
        write_all({f"{folder}/{name}": text for name, text in texts.items()})
    except BaseException as error:
        for one in missing:
            _remove_empty(one)
        if isinstance(error, OSError):
            raise P4WardenError(f"{folder}: cannot be made: {error.strerror}") from error
        raise


def is_special(path: str) -> bool:
    """Tell whether a path is a device or pipe, which no rename may replace."""
    file = Path(path)
    return file.exists() and not file.is_file() and not file.is_dir()


def _new(path: str) -> str:
    return trusted_files.beside(path, "new")


def _old(path: str) -> str:
    return trusted_files.beside(path, "old")


def _make(path: str, text: str, mode: int | None) -> None:
    if is_special(path):
        Path(path).write_text(text, "utf-8")
        return
    rights = 0o666 if mode is None else 0o600
    with os.fdopen(os.open(_new(path), _FLAGS, rights), "w", encoding="utf-8") as file:
        file.write(text)
        if mode is not None:
            os.fchmod(file.fileno(), mode)


def _give_name(path: str, *, replaces: bool, is_only: bool) -> None:
    if is_special(path):
        return
    if not replaces:
        os.link(_new(path), path)
        return
    if not is_only and os.path.lexists(path):
        os.link(path, _old(path), follow_symlinks=False)
    Path(_new(path)).replace(path)


def _take_back(path: str, *, is_new: bool) -> None:
    if os.path.lexists(_old(path)):
        Path(_old(path)).replace(path)
    elif is_new and not is_special(path):
        Path(path).unlink(missing_ok=True)


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
