from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from p4warden.home.decision_log import paths
from p4warden.home.rotated_files import MAX_LINE_BYTES, LogFileError, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class LogPosition(NamedTuple):
    first_line: str | None = None  # digest, of the file read last
    offset_bytes: int = 0  # uncompressed, of the next line


class UnreadLines:
    def __init__(self, home: str, place: LogPosition) -> None:
        """If the file of the given position is gone, read all files: `is_gap`."""
        first_lines = [(path, _first_line(path)) for path in paths(home)]
        files = [(path, first) for path, first in first_lines if first]
        last = [n for n, (_, first) in enumerate(files) if first == place.first_line]
        self._files = files[last[-1] :] if last else files
        self._start_bytes = place.offset_bytes if last else 0
        self.is_gap = place.first_line is not None and not last
        self.place = place

    def lines(self) -> Iterator[bytes]:
        """Leave out a line that is still being written."""
        start_bytes = self._start_bytes
        for path, first in self._files:
            self.place = LogPosition(first, start_bytes)
            yield from self._lines(path, first, start_bytes)
            start_bytes = 0

    def _lines(self, path: Path, first: str, offset_bytes: int) -> Iterator[bytes]:
        try:
            for line in lines_of(path, offset_bytes):
                if not _is_whole(line):
                    return
                offset_bytes += len(line)
                self.place = LogPosition(first, offset_bytes)
                yield line
        except LogFileError:
            # `p4warden report` mentions a damaged decision log; metrics skip its unreadable rest
            return


def _first_line(path: Path) -> str | None:
    """Return a digest; None if incomplete or unreadable."""
    try:
        line = next(lines_of(path), b"")
    except LogFileError:
        return None
    return hashlib.sha256(line).hexdigest() if _is_whole(line) else None


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n") or len(line) == MAX_LINE_BYTES
