"""Let the n-th change of a file system fail, as on a full disk, through Python's audit events."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.examples import every

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from support.warden import CommandResult

_FIRST, _MOST = 8, 200

# The last is where Python keeps the bytecode of modules that a command is the first to import.
_NOT_COUNTED = ("/dev/null", "/dev/tty", "/proc/", sys.pycache_prefix or "/proc/")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_NEEDS_SPACE = {"open", "os.mkdir", "os.link", "os.symlink"}
_CHANGES = {*_NEEDS_SPACE, "os.rename", "os.remove", "os.chmod", "os.chown", "os.utime"}


class FaultyDisk:
    """Context manager: the n-th change of files by this thread fails with ENOSPC.

    Attributes:
        has_failed: whether a change failed.
    """

    def __init__(self, place: int, *, stays_full: bool) -> None:
        """Choose the change that fails, from 1; with `stays_full` no later one gets space."""
        self._left, self._stays_full = place, stays_full
        self.has_failed = False

    def __enter__(self) -> Self:
        _install()
        _ACTIVE[threading.get_ident()] = self
        return self

    def __exit__(self, *error: object) -> None:
        del _ACTIVE[threading.get_ident()]

    def change(self, event: str, path: str) -> None:
        """Count a change; raise if it is to fail."""
        self._left -= 1
        is_later = self._left < 0 and self._stays_full and event in _NEEDS_SPACE
        if self._left == 0 or is_later:
            self.has_failed = True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def places() -> list[int]:
    """Return the numbers of the changes at which to fail; in `make test` a third of later ones."""
    return [place for place in range(1, _MOST) if place < _FIRST or place % every(3) == 0]


def fail_at_every_step(
    run: Callable[[], CommandResult],
    content: Callable[[], object],
    put_back: Callable[[], object],
    *,
    stays_full: bool,
    success: int = 0,
) -> None:
    """Run a command with a failure at each step, then without; failed ones change no content.

    A test that calls this is marked `sampled`, as its steps are those of `places`.
    """
    before, failures = content(), 0
    for place in places():
        with FaultyDisk(place, stays_full=stays_full) as disk:
            result = run()
        if not disk.has_failed:
            break
        assert result.code in (0, 1, 2), (place, result.output)
        if result.code != success:
            failures += 1
            assert "internal error" not in result.output
            assert content() == before, (place, result.output)
        put_back()
    assert failures
    assert result.code == success, result.output
    assert content() != before


_ACTIVE: dict[int, FaultyDisk] = {}
_installed: list[bool] = []


def _install() -> None:
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    disk = _ACTIVE.get(threading.get_ident()) if _ACTIVE and event in _CHANGES else None
    if disk is None or not isinstance(arguments[0], str | Path):
        return
    path = str(arguments[0])
    is_read = event == "open" and not (arguments[2] or 0) & _WRITING
    is_tidying = event == "os.remove" and path.endswith((".new", ".old"))
    if not is_read and not is_tidying and not path.startswith(_NOT_COUNTED):
        disk.change(event, path)
