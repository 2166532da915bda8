# p4d repeats a command's start line, followed by lines that begin with `--- ` (Perforce knowledge
# base, "Interpreting server log files"). The command is identified by its client program's name in
# brackets: `... ann@ws 10.0.0.1 [PROGRAM/VERSION] 'user-files //...'`; P4Python adds a blank and
# its own release to the name.

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_BYTES = 4 * 1024 * 1024
"""From the end of the log; the experiments write far less."""

_TRIES, _PAUSE_S = 20, 0.1


def tracking_lines(log: bytes, program: str) -> list[bytes]:
    """Return the `--- ...` lines about one client program's commands, in order."""
    program_pattern = re.compile(rb"\[" + re.escape(program.encode()) + rb"[ /\]]")
    lines, is_of_program = list[bytes](), False
    for line in log.splitlines():
        if not line.startswith(b"--- "):
            is_of_program = program_pattern.search(line) is not None
        elif is_of_program:
            lines.append(line)
    return lines


def await_tracking_lines(
    log: Path, program: str, pause: Callable[[float], None] = time.sleep
) -> tuple[bytes, ...]:
    """Return tracking lines, which p4d writes with a delay; () after about two seconds."""
    for _ in range(_TRIES):
        if lines := tracking_lines(_end(log), program):
            return tuple(lines)
        pause(_PAUSE_S)
    return ()


def _end(log: Path) -> bytes:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MOST_BYTES))
            return file.read(MOST_BYTES)
    except OSError:
        return b""
