r"""A checkpoint or a journal, plain or compressed, as blocks of whole records.

A record is `@operation@ version @table@ field ...`; texts stand between `@`, doubled within, and
may span lines, so a line is no record. Because of the doubling, `\n@pv@ 1 @db.view@ ` can be
nothing but the start of one. (P4 Server Administrator Guide, checkpoints and journals; the shapes
were read from real checkpoints.)
"""

from __future__ import annotations

import gzip
import re
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from p4warden.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK_BYTES = 4 * 1024 * 1024
MAX_RECORD_BYTES = 64 * 1024 * 1024
"""A larger record is passed over; the next start after it is found again."""

_START = re.compile(rb"\n@[a-z]{2}@ ")
_LONGEST_START_BYTES = 64
_GZIP = b"\x1f\x8b"
_CUT_SHORT = (EOFError, zlib.error, gzip.BadGzipFile)


def read(path: str, take: Callable[[bytes], None], told: Callable[[int], None]) -> bool:
    """Hand over a file in blocks, each of whole records that start with a line end.

    Args:
        path: the file.
        take: is given each block.
        told: is given how many bytes of the file were read so far.

    Returns:
        Whether the file is whole; a compressed one may end before its content does.

    Raises:
        P4WardenError: it cannot be read, or is no checkpoint and no journal.
    """
    try:
        with open(path, "rb") as raw:  # noqa: PTH123 - one line for a folder, a pipe and a file
            compressed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            file: Any = gzip.GzipFile(fileobj=raw) if compressed else raw
            return _read(path, blocks(file), take, lambda: told(raw.tell()))
    except OSError as error:
        raise P4WardenError(f"{path}: cannot be read: {error.strerror or error}") from error


def _read(
    path: str,
    found: Iterator[bytes],
    take: Callable[[bytes], None],
    told: Callable[[], None],
) -> bool:
    whole, seen = True, False
    try:
        for block in found:
            if not seen and not _START.search(block):
                break
            seen = True
            take(block)
            told()
    except _CUT_SHORT:
        whole = False
    if not seen:
        raise P4WardenError(f"{path}: is no checkpoint and no journal (no record starts in it)")
    return whole


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a stream in blocks of whole records; the last may be cut short with the stream."""
    rest = b"\n"
    while True:
        try:
            chunk = file.read(BLOCK_BYTES)
        except _CUT_SHORT:
            yield rest
            raise
        if not chunk:
            break
        rest += chunk
        end = _last_start(rest)
        if end > 0:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > MAX_RECORD_BYTES:
            rest = rest[-_LONGEST_START_BYTES:]
    yield rest


def _last_start(block: bytes) -> int:
    """Return where the last record starts, 0 where no other than the first does."""
    end = len(block)
    while end > 0:
        end = block.rfind(b"\n@", 0, end)
        if end < 0:
            return 0
        if _START.match(block, end):
            return end
    return 0
