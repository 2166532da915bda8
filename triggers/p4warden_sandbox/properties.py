# Named values for applications (`p4 help property`).

from __future__ import annotations

import threading
from typing import NamedTuple


class Property(NamedTuple):
    """The value applies to a user, a group, or else to everyone."""

    name: str
    sequence: int
    user: str
    group: str
    value: str = ""

    @property
    def key(self) -> tuple[str, int, str, str]:
        return self.name, self.sequence, self.user, self.group


class Properties:
    def __init__(self) -> None:
        self._properties: dict[tuple[str, int, str, str], Property] = {}
        self._lock = threading.Lock()

    def put(self, one: Property) -> None:
        with self._lock:
            self._properties[one.key] = one

    def remove(self, one: Property) -> None:
        with self._lock:
            self._properties.pop(one.key, None)

    def all(self) -> list[Property]:
        with self._lock:
            properties = list(self._properties.values())
        return sorted(properties, key=lambda one: (one.name, -one.sequence, one.user, one.group))
