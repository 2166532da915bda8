"""The content of a server's `rt.monitorfile`; the gate's `home/monitor_file.rs` has the layout."""

from __future__ import annotations

import struct

from p4warden.core.monitor_counters import LOCK_WAITERS

END = struct.pack("=ii", 0, 0)


def lock_waiters(number: int) -> bytes:
    return struct.pack("=ii16sqq", 3, 0, LOCK_WAITERS.encode(), number, 382)
