from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden_sandbox.revisions import Revision

DEFAULT = "default"


class OpenFile(NamedTuple):
    """`change` is a number as text or `default`; work is based on `revision`, 1 for an add.

    `source` is the revision that a file opened for branch is a copy of.
    """

    file: str
    client: str
    user: str
    action: str
    revision: int
    change: str
    type: str
    source: Revision | None = None

    @property
    def change_text(self) -> str:
        """`default change` or `change 12`, as `p4 opened` shows it."""
        return f"{DEFAULT} change" if self.change == DEFAULT else f"change {self.change}"


class OpenFiles:
    """`fold` makes names comparable: A-Z in lower case on a case-insensitive server."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._files: dict[tuple[str, str], OpenFile] = {}
        self._lock = threading.Lock()

    def find(self, client: str, file: str) -> OpenFile | None:
        return self._files.get(self._key(client, file))

    def all(self) -> list[OpenFile]:
        with self._lock:
            entries = [(key[::-1], open_file) for key, open_file in self._files.items()]
        return [open_file for _, open_file in sorted(entries)]

    def of_client(self, client: str, change: str | None = None) -> list[OpenFile]:
        folded = self._fold(client)
        return [
            open_file
            for open_file in self.all()
            if self._fold(open_file.client) == folded and change in {None, open_file.change}
        ]

    def of_change(self, change: str) -> list[OpenFile]:
        return [open_file for open_file in self.all() if open_file.change == change]

    def put(self, open_files: Iterable[OpenFile]) -> None:
        with self._lock:
            self._files |= {self._key(one.client, one.file): one for one in open_files}

    def close(self, open_files: Iterable[OpenFile]) -> None:
        with self._lock:
            for one in open_files:
                self._files.pop(self._key(one.client, one.file), None)

    def _key(self, client: str, file: str) -> tuple[str, str]:
        return self._fold(client), self._fold(file)
