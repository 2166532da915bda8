"""Tests of the counters of `rt.monitorfile` as `p4warden-gate monitor-file` prints them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from p4warden.asking.gate_program import GateError
from p4warden.asking.monitor_file import counters
from p4warden.core.monitor_counters import LOCK_WAITERS, Counter
from support.monitor_file import END, lock_waiters

if TYPE_CHECKING:
    from pathlib import Path

PAUSED = struct.pack("=ii24sq", 2, 0, b"rtv.svr.sessions.paused", 0)


def test_counters_are_read_with_their_maxima(tmp_path: Path) -> None:
    file = tmp_path / "monfile.mem"
    file.write_bytes(lock_waiters(3) + PAUSED + END)
    assert counters(str(file)) == {
        LOCK_WAITERS: Counter(3, 382),
        "rtv.svr.sessions.paused": Counter(0),
    }


def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "monfile.mem"
    with pytest.raises(GateError, match=r"^/.*/monfile\.mem: it cannot be read: No such file"):
        counters(str(file))
    file.write_bytes(b"text")
    with pytest.raises(GateError, match="it is not a monitor file that p4warden can read"):
        counters(str(file))
    with pytest.raises(GateError, match="it is not a regular file"):
        counters(str(tmp_path))
