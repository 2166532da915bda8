"""Undo what a command changed in a home folder, if the command fails.

The old files are kept as links, so that they can be put back on a full disk.
"""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files, trail
from p4warden.home import active_policy, locks, trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Of a command that failed in a new home.
_LEFT = {locks.DEPLOY, trail.LOCK, trail.FILE_NAME}
POLICY_FILES = (active_policy.SOURCE_FILE, compiled.FILE_NAME)


_ignored = functools.partial(contextlib.suppress, OSError)


class UnrestoredTableError(P4WardenError):
    """Error: the triggers table could not be put back; the history keeps both tables."""


@contextlib.contextmanager
def alone_or_undone(home: str, names: Iterable[str], wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock of changes, in a home that is made if it is missing, around the next.

    What other processes changed before the lock was held is never put back.
    """
    with _removed_on_failure(home):
        trusted_files.make(home)
        with (
            locks.file_lock(home, locks.DEPLOY, wait_s),
            _put_back_on_failure(home, names, keeps_files=True),
        ):
            yield


@contextlib.contextmanager
def undone_on_failure(
    home: str, names: Iterable[str], *, keeps_files: bool = False
) -> Iterator[None]:
    """Put back these files of a home folder if the body raises, and remove a new home folder.

    New files in its folder `history` are removed if the body keeps files there, for which it holds
    the lock of changes. The logs, to which lines are only added, stay.

    Raises:
        HomeError: the present files cannot be kept; the body was not run.
    """
    with _removed_on_failure(home), _put_back_on_failure(home, names, keeps_files=keeps_files):
        yield


@contextlib.contextmanager
def _put_back_on_failure(home: str, names: Iterable[str], *, keeps_files: bool) -> Iterator[None]:
    before = _Before(home, tuple(names), keeps_files=keeps_files)
    try:
        before.keep()
        try:
            yield
        except BaseException as failure:
            before.put_back(keeps_history=isinstance(failure, UnrestoredTableError))
            raise
    finally:
        before.forget()


@contextlib.contextmanager
def _removed_on_failure(home: str) -> Iterator[None]:
    """Remove the folders that are missing now, unless another process uses the home by then."""
    missing = [one for one in (Path(home), *Path(home).parents) if not one.exists()]
    try:
        yield
    except BaseException:
        if missing:
            with locks.held_if_free(f"{home}/{locks.DEPLOY}") as is_free, _ignored():
                if is_free and {file.name for file in missing[0].iterdir()} <= _LEFT:
                    for name in _LEFT:
                        (missing[0] / name).unlink(missing_ok=True)
        for folder in missing:
            with _ignored():
                folder.rmdir()
        raise


class _Before:
    def __init__(self, home: str, names: tuple[str, ...], *, keeps_files: bool) -> None:
        self._home, self._names, self._keeps_files = Path(home), names, keeps_files
        self._history = set(self._listed())
        self._links: dict[str, Path] = {}

    def keep(self) -> None:
        for name in self._names:
            file, link = self._home / name, self._kept(name)
            try:
                os.link(file, link, follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise trusted_files.HomeError(f"{link}: {error.strerror}") from error
            self._links[name] = link

    def put_back(self, *, keeps_history: bool) -> None:
        for name in self._names:
            file, link = self._home / name, self._links.get(name)
            if link is None:
                file.unlink(missing_ok=True)
            elif not _is_same(file, link):
                link.replace(file)
        if not keeps_history and self._keeps_files:
            for name in set(self._listed()) - self._history:
                (self._home / kept_files.FOLDER / name).unlink(missing_ok=True)
        if not self._history:
            with _ignored():
                (self._home / kept_files.FOLDER).rmdir()

    def forget(self) -> None:
        for link in self._links.values():
            with _ignored():
                link.unlink(missing_ok=True)

    def _kept(self, name: str) -> Path:
        return Path(trusted_files.beside(str(self._home / name), "old"))

    def _listed(self) -> list[str]:
        try:
            return [file.name for file in (self._home / kept_files.FOLDER).iterdir()]
        except OSError:
            return []


def _is_same(file: Path, link: Path) -> bool:
    try:
        return file.samefile(link)
    except FileNotFoundError:
        return False
