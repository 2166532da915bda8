"""The lines of the decision log that were written since it was read last."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from p4warden.home.decision_log import paths
from p4warden.home.rotated_files import MAX_LINE_BYTES, LogFileError, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Place(NamedTuple):
    """How far the log was read.

    Attributes:
        first_line: a digest of the first line of the file that was read last; None for no file.
        offset_bytes: where in it the next line starts, counted without the compression.
    """

    first_line: str | None = None
    offset_bytes: int = 0


class Unread:
    """New lines, read once; afterwards `place` tells where the next time begins.

    Attributes:
        place: how far the log was read.
        is_gap: whether the file that was read last has gone, and its later lines with it.
    """

    def __init__(self, home: str, place: Place) -> None:
        """Find the files that have something new."""
        known = [(path, _first_line(path)) for path in paths(home)]
        files = [(path, first) for path, first in known if first]
        last = [n for n, (_, first) in enumerate(files) if first == place.first_line]
        self._files = files[last[-1] :] if last else files
        self._start_bytes = place.offset_bytes if last else 0
        self.is_gap = place.first_line is not None and not last
        self.place = place

    def lines(self) -> Iterator[bytes]:
        """Yield the new lines; one that is being written is left for the next time."""
        start_bytes = self._start_bytes
        for path, first in self._files:
            self.place = Place(first, start_bytes)
            yield from self._lines(path, first, start_bytes)
            start_bytes = 0

    def _lines(self, path: Path, first: str, offset_bytes: int) -> Iterator[bytes]:
        try:
            for line in lines_of(path, offset_bytes):
                if not _is_whole(line):
                    return
                offset_bytes += len(line)
                self.place = Place(first, offset_bytes)
                yield line
        except LogFileError:
            return  # a report tells of it; here what comes after it counts


def _first_line(path: Path) -> str | None:
    """Return a digest of a file's first line, None where it has none that is whole."""
    try:
        line = next(lines_of(path), b"")
    except LogFileError:
        return None
    return hashlib.sha256(line).hexdigest() if _is_whole(line) else None


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n") or len(line) == MAX_LINE_BYTES
