"""Let something else happen just before the n-th access of this thread to files, without sleeping.

Python's audit events are the places: opening, listing, locking, renaming and removing files.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

_EVENTS = {
    *("open", "os.listdir", "os.scandir", "fcntl.flock"),
    *("os.link", "os.rename", "os.remove", "os.mkdir"),
}
_ACTIVE: dict[int, Meanwhile] = {}
_installed: list[bool] = []


class Meanwhile:
    """Context manager: `act` is called before the n-th access, from 1, if there are so many."""

    def __init__(self, place: int, act: Callable[[], object], event: str | None = None) -> None:
        """Count only accesses of one kind if `event` names one."""
        self._left, self._act, self._event = place, act, event

    @property
    def has_acted(self) -> bool:
        return self._left <= 0

    def __enter__(self) -> Self:
        if not _installed:
            _installed.append(True)
            sys.addaudithook(_hook)
        _ACTIVE[threading.get_ident()] = self
        return self

    def __exit__(self, *error: object) -> None:
        _ACTIVE.pop(threading.get_ident(), None)

    def access(self, event: str) -> None:
        if self._event in (None, event):
            self._left -= 1
        if self.has_acted:
            del _ACTIVE[threading.get_ident()]
            self._act()


def _hook(event: str, _arguments: tuple[Any, ...]) -> None:
    if _ACTIVE and event in _EVENTS and (one := _ACTIVE.get(threading.get_ident())):
        one.access(event)
