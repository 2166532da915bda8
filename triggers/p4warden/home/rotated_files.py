"""Read the lines of a plain or compressed log file; errors are one line.

A log may lie in a folder that another account writes to, so links are not followed, and opening a
pipe does not block.
"""

from __future__ import annotations

import contextlib
import gzip
import math
import os
import stat
import zlib
from typing import IO, TYPE_CHECKING

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINE_BYTES = 1024 * 1024
"""Largest length of a log line in bytes, far above that of any record; a longer line is
read in pieces, which are not records.
"""


class LogFileError(P4WardenError):
    """Error: a log file cannot be read to its end; the text names the file and the reason."""


class MissingLogFileError(LogFileError):
    """Error: a log file does not exist, perhaps because it has just been renamed."""


class OpenLogFile:
    """A log file that stays the same file, whatever it is renamed to; closed by `close`."""

    def __init__(self, path: Path) -> None:
        """Open a plain file, or a compressed one if the name ends in `.gz`.

        Raises:
            MissingLogFileError: it does not exist. Any other error is raised when it is read.
        """
        self.path, self.is_packed = path, path.suffix == ".gz"
        self._file: IO[bytes] | None = None
        self._error: LogFileError | None = None
        try:
            self._file = _opened(path)
        except FileNotFoundError as error:
            raise MissingLogFileError(f"{path}: {error.strerror}") from error
        except OSError as error:
            self._error = LogFileError(f"{path}: {error.strerror}")
        except LogFileError as error:
            self._error = error

    def lines(self, start_bytes: int = 0) -> Iterator[bytes]:
        """Yield the lines from an offset on, in uncompressed bytes, with their line ends.

        A line of more than `MAX_LINE_BYTES` is yielded in pieces.

        Raises:
            LogFileError: the file cannot be read, is damaged, or is cut off.
        """
        if self._file is None:
            raise self._error or LogFileError(f"{self.path}: is closed")
        try:
            self._file.seek(0)
            file = gzip.GzipFile(fileobj=self._file) if self.is_packed else self._file
            file.seek(start_bytes)
            while line := file.readline(MAX_LINE_BYTES):
                yield line
        except EOFError as error:
            raise LogFileError(f"{self.path}: cut off; read up to the cut") from error
        except (OSError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise LogFileError(f"{self.path}: {reason}") from error

    def modified_s(self) -> float:
        """Return when it was written last; the end of time if that is unknown."""
        return math.inf if self._file is None else os.fstat(self._file.fileno()).st_mtime

    def plain_bytes(self) -> int:
        """Return its length; 0 if it is compressed or cannot be read."""
        is_read = self._file is not None and not self.is_packed
        return os.fstat(self._file.fileno()).st_size if self._file and is_read else 0

    def part(self, start_bytes: int, length_bytes: int) -> bytes:
        """Return the bytes from an offset on; none if they cannot be read."""
        with contextlib.suppress(OSError):
            return os.pread(self._file.fileno(), length_bytes, start_bytes) if self._file else b""
        return b""

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def lines_of(path: Path, start_bytes: int = 0) -> Iterator[bytes]:
    """Yield the lines of a log file as `OpenLogFile.lines` does, from opening it to its end."""
    with contextlib.closing(OpenLogFile(path)) as file:
        yield from file.lines(start_bytes)


def _opened(path: Path) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise LogFileError(f"{path}: is not a plain file")
    return file
