from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class HaveList:
    """`fold` makes names comparable: A-Z in lower case on a case-insensitive server."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._files_by_client: dict[str, dict[str, tuple[str, int]]] = {}
        self._lock = threading.Lock()

    def revision(self, client: str, file: str) -> int | None:
        entry = self._files_by_client.get(self._fold(client), {}).get(self._fold(file))
        return entry[1] if entry else None

    def of_client(self, client: str) -> list[tuple[str, int]]:
        """Return depot path and revision number of each file, sorted by path."""
        return [
            entry for _, entry in sorted(self._files_by_client.get(self._fold(client), {}).items())
        ]

    def put(self, client: str, revisions: Mapping[str, int | None]) -> None:
        """None removes a file."""
        with self._lock:
            entries = dict(self._files_by_client.get(self._fold(client), {}))
            for file, revision in revisions.items():
                entries.pop(self._fold(file), None)
                if revision is not None:
                    entries[self._fold(file)] = file, revision
            self._files_by_client[self._fold(client)] = entries
