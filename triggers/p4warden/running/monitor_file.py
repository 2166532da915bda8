"""The counters in a server's `rt.monitorfile`.

Layout of the public C++ API (support/monitem.h of 2024.2), which Perforce does not promise:
records back to back in the machine's byte order, each a type (int32; 1 none, 2 a value, 3 a value
with its maximum, 0 or less ends), flags (int32), a name ended and padded with NUL to 8 bytes, then
one int64, or two. The server writes meanwhile, so any oddity makes all counters unknown.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

MAX_MONITOR_BYTES = 1 << 16
MAX_NAME_BYTES = 128
_HEAD = struct.Struct("=ii")
_VALUE = struct.Struct("=q")
_NO_VALUE, _ONE, _WITH_MAXIMUM = 1, 2, 3
LOCK_WAITERS = "rtv.db.lockwait"


class Counter(NamedTuple):
    value: int
    maximum: int | None = None  # since the server started


def counters(content: bytes) -> dict[str, Counter] | None:
    """Return the counters in the first bytes of a monitor file; None if anything is odd."""
    found: dict[str, Counter] = {}
    place = 0
    while True:
        if len(content) - place < _HEAD.size:
            return None
        kind, _flags = _HEAD.unpack_from(content, place)
        if kind <= 0:
            return found
        name = _name(content, place + _HEAD.size)
        if kind > _WITH_MAXIMUM or name is None or name in found:
            return None
        place += _HEAD.size + (len(name) // 8 + 1) * 8
        values = [] if kind == _NO_VALUE else _values(content, place, kind - _NO_VALUE)
        if values is None:
            return None
        place += len(values) * _VALUE.size
        if values:
            maximum = values[1] if kind == _WITH_MAXIMUM and values[1] >= 0 else None
            found[name] = Counter(values[0], maximum)


def _name(content: bytes, start: int) -> str | None:
    end = content.find(b"\0", start, start + MAX_NAME_BYTES)
    name = content[start:end] if end > start else b""
    padding = content[end : start + (len(name) // 8 + 1) * 8]
    if not name or not name.isascii() or not name.decode().isprintable() or padding.strip(b"\0"):
        return None
    return name.decode()


def _values(content: bytes, start: int, count: int) -> list[int] | None:
    if len(content) - start < count * _VALUE.size:
        return None
    return [_VALUE.unpack_from(content, start + i * _VALUE.size)[0] for i in range(count)]
