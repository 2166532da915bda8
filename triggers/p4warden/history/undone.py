"""Undo what a command changed in a home folder, if the command fails.

The old files are kept as links, so that they can be put back on a full disk.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files
from p4warden.home import active_policy, trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

POLICY_FILES = (active_policy.SOURCE_FILE, compiled.FILE_NAME)


class UnrestoredTableError(P4WardenError):
    """Error: the triggers table could not be put back; the history keeps both tables."""


@contextlib.contextmanager
def undone_on_failure(home: str, names: Iterable[str]) -> Iterator[None]:
    """Put back these files of a home folder if the body raises.

    New files in its folder `history` are removed, and a new home folder, too. The logs, to which
    lines are only added, stay.

    Raises:
        HomeError: the present files cannot be kept; the body was not run.
    """
    before = _Before(home, tuple(names))
    try:
        before.keep()
        try:
            yield
        except BaseException as failure:
            before.put_back(keeps_history=isinstance(failure, UnrestoredTableError))
            raise
    finally:
        before.forget()


class _Before:
    def __init__(self, home: str, names: tuple[str, ...]) -> None:
        self._home, self._names = Path(home), names
        self._folders = [one for one in (self._home, *self._home.parents) if not one.exists()]
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
            elif not file.exists() or not file.samefile(link):
                link.replace(file)
        for name in () if keeps_history else set(self._listed()) - self._history:
            (self._home / kept_files.FOLDER / name).unlink(missing_ok=True)
        if not self._history:
            with contextlib.suppress(OSError):
                (self._home / kept_files.FOLDER).rmdir()
        if self._folders:
            shutil.rmtree(self._folders[-1], ignore_errors=True)

    def forget(self) -> None:
        for link in self._links.values():
            with contextlib.suppress(OSError):
                link.unlink(missing_ok=True)

    def _kept(self, name: str) -> Path:
        return Path(trusted_files.beside(str(self._home / name), "old"))

    def _listed(self) -> list[str]:
        try:
            return [file.name for file in (self._home / kept_files.FOLDER).iterdir()]
        except OSError:
            return []
