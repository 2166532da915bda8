from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.errors import P4WardenError
from p4warden.running.monitor_file import Counter, counters
from p4warden.server import monitor

if TYPE_CHECKING:
    from pathlib import Path

END = struct.pack("=ii", 0, 0)


def record(name: bytes, *values: int, kind: int | None = None) -> bytes:
    padded = name + b"\0" * (8 - len(name) % 8)
    kind = len(values) + 1 if kind is None else kind
    return struct.pack(f"=ii{len(padded)}s{len(values)}q", kind, 0, padded, *values)


LOCKS, SESSIONS = record(b"rtv.db.lockwait", 3, 382), record(b"rtv.svr.sessions.active", 7, -1)
PAUSED = record(b"rtv.svr.sessions.paused", 0)


def test_values_and_maxima_are_read() -> None:
    assert counters(LOCKS + record(b"none") + SESSIONS + PAUSED + END + b"rest") == {
        "rtv.db.lockwait": Counter(3, 382),
        "rtv.svr.sessions.active": Counter(7, None),
        "rtv.svr.sessions.paused": Counter(0),
    }


@pytest.mark.parametrize(
    "content",
    [
        b"",
        LOCKS,
        LOCKS[:-8],
        LOCKS[:12],
        LOCKS + LOCKS + END,
        record(b"later", 1, kind=4) + END,
        record(b"") + END,
        record(b"not\xffascii", 1) + END,
        struct.pack("=ii8sq", 2, 0, b"abc\0xyz\0", 1) + END,
        b"SQLite format 3\0" * 8,
    ],
)
def test_anything_odd_makes_all_counters_unknown(content: bytes) -> None:
    assert counters(content) is None


@given(st.binary(max_size=400))
def test_any_content_is_read_without_an_error(content: bytes) -> None:
    found = counters(LOCKS + content)
    assert found is None or found["rtv.db.lockwait"] == Counter(3, 382)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "monfile.mem"
    with pytest.raises(P4WardenError, match=r"monfile\.mem: cannot be read: No such file"):
        monitor.counters(str(file))
    file.write_bytes(b"text")
    with pytest.raises(P4WardenError, match="is not a monitor file"):
        monitor.counters(str(file))
    file.write_bytes(LOCKS + END)
    assert monitor.counters(str(file)) == {"rtv.db.lockwait": Counter(3, 382)}
