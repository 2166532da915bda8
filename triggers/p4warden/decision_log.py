"""decisions.jsonl, read: by those who want to know what was decided, never by a trigger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.decisions import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Tail:
    """What is written to a home folder's log from now on."""

    def __init__(self, home: str) -> None:
        """Start at the log's end."""
        self._path = Path(home, FILE_NAME)
        self._start_bytes = self._size_bytes()

    def has(self, **fields: str) -> bool:
        """Tell whether a record with these fields was written."""
        return any(fields.items() <= record.items() for record in self._records())

    def _size_bytes(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def _records(self) -> Iterator[dict[str, Any]]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            # A log that was rotated since starts anew.
            file.seek(self._start_bytes if self._size_bytes() >= self._start_bytes else 0)
            yield from records(file.read().splitlines())


def records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the records of a log's lines; what is none is passed over."""
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record
