"""Properties stored on the sandbox: named values for applications (`p4 help property`)."""

from __future__ import annotations

import threading
from typing import NamedTuple


class Property(NamedTuple):
    """A property (`p4 property`): its value applies to a user, a group, or else to everyone."""

    name: str
    sequence: int
    user: str
    group: str
    value: str = ""

    @property
    def key(self) -> tuple[str, int, str, str]:
        """Key that identifies the property: name, sequence number, user and group."""
        return self.name, self.sequence, self.user, self.group


class Properties:
    """The properties (`p4 property`) stored on one sandbox server."""

    def __init__(self) -> None:
        self._properties: dict[tuple[str, int, str, str], Property] = {}
        self._lock = threading.Lock()

    def put(self, one: Property) -> None:
        """Store a property on the sandbox; it replaces a stored one with the same key."""
        with self._lock:
            self._properties[one.key] = one

    def remove(self, one: Property) -> bool:
        """Delete the property with the name, sequence, user and group of `one`.

        Return whether there was such a property.
        """
        with self._lock:
            return self._properties.pop(one.key, None) is not None

    def all(self) -> list[Property]:
        """Return the sandbox's properties sorted by name, then by falling sequence number."""
        with self._lock:
            properties = list(self._properties.values())
        return sorted(properties, key=lambda one: (one.name, -one.sequence, one.user, one.group))
