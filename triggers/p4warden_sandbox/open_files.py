"""The files opened in all clients of the sandbox server, and the locks on these files."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DEFAULT = "default"


class OpenFile(NamedTuple):
    """Record of a file opened in a client, such as for edit.

    `change` is a changelist number as text, or `default`. `revision` is the number of the revision
    that the work is based on; 1 for a file opened for add.
    """

    file: str
    client: str
    user: str
    action: str
    revision: int
    change: str
    type: str
    is_locked: bool = False

    @property
    def change_text(self) -> str:
        """The file's changelist as `p4 opened` shows it: `default change` or `change 12`."""
        return f"{DEFAULT} change" if self.change == DEFAULT else f"change {self.change}"


class OpenFiles:
    """The opened files of all clients of a sandbox server.

    `fold` returns a name in the form in which names are compared: with A-Z in lower case on a
    case-insensitive server.
    """

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._files: dict[tuple[str, str], OpenFile] = {}
        self._lock = threading.Lock()

    def find(self, client: str, file: str) -> OpenFile | None:
        """Return the record of a file opened in a client of the sandbox; None if not opened."""
        return self._files.get(self._key(client, file))

    def all(self) -> list[OpenFile]:
        """Return the files opened in all clients of the sandbox, sorted by depot path."""
        with self._lock:
            entries = [(key[::-1], open_file) for key, open_file in self._files.items()]
        return [open_file for _, open_file in sorted(entries)]

    def of_client(self, client: str, change: str | None = None) -> list[OpenFile]:
        """Return files opened in a sandbox client; with `change` only that changelist's."""
        folded = self._fold(client)
        return [
            open_file
            for open_file in self.all()
            if self._fold(open_file.client) == folded and change in {None, open_file.change}
        ]

    def of_change(self, change: str) -> list[OpenFile]:
        """Return the files opened in a numbered changelist of the sandbox."""
        return [open_file for open_file in self.all() if open_file.change == change]

    def put(self, open_files: Iterable[OpenFile]) -> None:
        """Record files as opened in sandbox clients; replace earlier records of these files."""
        with self._lock:
            self._files |= {self._key(one.client, one.file): one for one in open_files}

    def close(self, open_files: Iterable[OpenFile]) -> None:
        """Remove the records of files opened in sandbox clients, after a revert or a submit."""
        with self._lock:
            for one in open_files:
                self._files.pop(self._key(one.client, one.file), None)

    def lock(self, candidates: Iterable[OpenFile]) -> list[OpenFile]:
        """Lock the files of a submit, unless another client has locked one of them.

        Return the records of these files that other clients have locked; if there are any,
        nothing is locked.
        """
        keys = {self._key(one.client, one.file) for one in candidates}
        files = {file for _, file in keys}
        with self._lock:
            others = {
                key: one
                for key, one in self._files.items()
                if one.is_locked and key[1] in files and key not in keys
            }
            if not others:
                for key in keys & self._files.keys():
                    self._files[key] = self._files[key]._replace(is_locked=True)
        return list(others.values())

    def _key(self, client: str, file: str) -> tuple[str, str]:
        return self._fold(client), self._fold(file)
