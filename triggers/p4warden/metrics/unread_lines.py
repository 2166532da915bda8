from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from p4warden.home.decision_log import opened
from p4warden.home.rotated_files import MAX_LINE_BYTES, LogFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.home.rotated_files import OpenLogFile


class LogPosition(NamedTuple):
    first_line: str | None = None  # digest, of the file read last
    offset_bytes: int = 0  # uncompressed, of the next line


class UnreadLines:
    def __init__(self, home: str, place: LogPosition) -> None:
        self._home, self.place = home, place
        self.is_gap = False

    def lines(self) -> Iterator[bytes]:
        """Leave out a line that is still being written.

        If the file of the given position is gone, all files are read: `is_gap`.
        """
        with opened(self._home) as open_files:
            first_lines = [(file, _first_line(file)) for file in open_files]
            files = [(file, first) for file, first in first_lines if first]
            last = [n for n, (_, first) in enumerate(files) if first == self.place.first_line]
            self.is_gap = self.place.first_line is not None and not last
            start_bytes = self.place.offset_bytes if last else 0
            for file, first in files[last[-1] :] if last else files:
                self.place = LogPosition(first, start_bytes)
                yield from self._lines(file, first, start_bytes)
                start_bytes = 0

    def _lines(self, file: OpenLogFile, first: str, offset_bytes: int) -> Iterator[bytes]:
        try:
            for line in file.lines(offset_bytes):
                if not _is_whole(line):
                    return
                offset_bytes += len(line)
                self.place = LogPosition(first, offset_bytes)
                yield line
        except LogFileError:
            # `p4warden report` mentions a damaged decision log; metrics skip its unreadable rest
            return


def _first_line(file: OpenLogFile) -> str | None:
    """Return a digest; None if incomplete or unreadable."""
    try:
        line = next(file.lines(), b"")
    except LogFileError:
        return None
    return hashlib.sha256(line).hexdigest() if _is_whole(line) else None


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n") or len(line) == MAX_LINE_BYTES
