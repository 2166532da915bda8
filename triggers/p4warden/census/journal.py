r"""A checkpoint or a journal, plain or compressed, as blocks of whole records.

A record is `@operation@ version @table@ field ...`; texts stand between `@`, doubled within, and
may span lines, so a line is no record. Because of the doubling, `\n@pv@ 1 @db.view@ ` can be
nothing but the start of one. (P4 Server Administrator Guide, checkpoints and journals; the shapes
were read from real checkpoints.)
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, BinaryIO

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

BLOCK_BYTES = 4 * 1024 * 1024
MAX_RECORD_BYTES = 64 * 1024 * 1024
"""A larger record is passed over; the next start after it is found again."""

_START = re.compile(rb"\n@[a-z]{2}@ ")
_LONGEST_START_BYTES = 64
_GZIP = b"\x1f\x8b"
_GZIP_HEAD = 16 + zlib.MAX_WBITS


class _CutShort(Exception):  # noqa: N818 - a fact about the file, not an error of ours
    """A compressed file ends before its content does."""


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
            return _read(path, blocks(_chunks(raw)), take, lambda: told(raw.tell()))
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
    except _CutShort:
        whole = False
    if not seen:
        raise P4WardenError(f"{path}: is no checkpoint and no journal (no record starts in it)")
    return whole


def blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces of a stream as blocks of whole records; the last may be cut off with it."""
    rest = b"\n"
    trouble = None
    try:
        for chunk in chunks:
            rest += chunk
            end = _last_start(rest)
            if end > 0:
                yield rest[:end]
                rest = rest[end:]
            elif len(rest) > MAX_RECORD_BYTES:
                rest = rest[-_LONGEST_START_BYTES:]
    except _CutShort as error:
        trouble = error
    yield rest
    if trouble:
        raise trouble


def _chunks(raw: BinaryIO) -> Iterator[bytes]:
    compressed = raw.read(len(_GZIP)) == _GZIP
    raw.seek(0)
    data = iter(lambda: raw.read(BLOCK_BYTES), b"")
    return _unpacked(data) if compressed else data


def _unpacked(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a gzip file's content up to a cut, which the module `gzip` would withhold.

    Raises:
        _CutShort: it ends too early, or is damaged.
    """
    unpacker, ended = zlib.decompressobj(_GZIP_HEAD), False
    for data in packed:
        while data:
            try:
                yield unpacker.decompress(data, BLOCK_BYTES)
            except zlib.error as error:
                raise _CutShort from error
            ended = unpacker.eof
            data = unpacker.unconsumed_tail  # noqa: PLW2901 - the rest of it
            if ended:  # another part may follow
                data = unpacker.unused_data.lstrip(b"\0")  # noqa: PLW2901 - likewise
                unpacker = zlib.decompressobj(_GZIP_HEAD)
    if not ended:
        raise _CutShort


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
