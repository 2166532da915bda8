"""A log's lines, from a plain file or a compressed one; another file ends in a one-line error.

A log may lie in a folder that another account writes to, so a link is not followed, and a pipe is
not waited for.
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
"""Far above the length of any record; a longer line comes in pieces, which are no records."""


class LogFileError(P4WardenError):
    """A file cannot be read, or only a part of it; the text names it and says why."""


def lines_of(path: Path, start_bytes: int = 0) -> Iterator[bytes]:
    """Yield a file's lines from a place on, each with its line end.

    Args:
        path: a plain file; with a name on `.gz` a compressed one.
        start_bytes: where to start, counted without the compression.

    Raises:
        LogFileError: it cannot be read, or is damaged or cut off from some place on.
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
        why = getattr(error, "strerror", None) or error
        raise LogFileError(f"{path}: {why}") from error


def _opened(path: Path) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise LogFileError(f"{path}: is no plain file")
    return file
