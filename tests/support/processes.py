"""Wait until a process that a test has started has ended."""

import os
import time
from pathlib import Path

_PATIENCE_S = 30


def wait_until_gone(pid: int) -> bool:
    """Wait until a process has ended or is a zombie; return False if it outlives the timeout."""
    end_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end_s:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        os.sched_yield()
    return False
