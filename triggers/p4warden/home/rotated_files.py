"""Read the lines of a plain or compressed log file; errors are one line.

A log may lie in a folder that another account writes to, so links are not followed, and opening a
pipe does not block.
"""

from __future__ import annotations

import gzip
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


def lines_of(path: Path, start_bytes: int = 0) -> Iterator[bytes]:
    """Yield the lines of a log file from an offset on, with their line ends.

    A line of more than `MAX_LINE_BYTES` is yielded in pieces.

    Args:
        path: a plain file, or a compressed one if the name ends in `.gz`.
        start_bytes: the offset to start at, counted in uncompressed bytes.

    Raises:
        LogFileError: the file cannot be read, is damaged, or is cut off.
    """
    try:
        with _opened(path) as plain:
            file = gzip.GzipFile(fileobj=plain) if path.suffix == ".gz" else plain
            file.seek(start_bytes)
            while line := file.readline(MAX_LINE_BYTES):
                yield line
    except EOFError as error:
        raise LogFileError(f"{path}: cut off; read up to the cut") from error
    except (OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise LogFileError(f"{path}: {reason}") from error


def _opened(path: Path) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise LogFileError(f"{path}: is not a plain file")
    return file
