"""The sums at the end of files that decide: p4warden judges by none that was changed since.

Such a file is a JSON object with `sums` as its last entry: of each 512 bytes of all before that
entry the CRC-32, combined with the number of the block, so that a block in another's place is
noticed too. The gate, which reads only parts of a large file, checks them by their own sums.
"""

from __future__ import annotations

import zlib

CHANGED = "it is not as p4warden wrote it"
_BLOCK_BYTES = 512
_START, _END = b',\n"sums": "', b'"}\n'


def summed(text: str) -> bytes:
    """Return the content of a file for the text of a JSON object, which is ASCII."""
    part = text.rstrip().removesuffix("}").encode("ascii")
    starts = range(0, len(part), _BLOCK_BYTES)
    blocks = (part[start : start + _BLOCK_BYTES] for start in starts)
    sums = "".join(f"{zlib.crc32(block) ^ number:08x}" for number, block in enumerate(blocks))
    return part + _START + sums.encode("ascii") + _END


def text(content: bytes) -> str:
    """Return the text of the object, without its sums; raise ValueError if they do not fit."""
    part, _, _ = content.rpartition(_START)
    object_text = part.decode("ascii", "replace") + "}"
    if not part or not part.isascii() or summed(object_text) != content:
        raise ValueError(CHANGED)
    return object_text
