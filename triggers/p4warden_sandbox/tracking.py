# Lines as in a server log (`rows get+pos+scan put+del`; Perforce knowledge base, "Interpreting
# server log files").

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from p4warden_sandbox import dates

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden_sandbox.wire import Message

_PRIVATE_FILE = 0o600


def track_output(elapsed_s: float, rows: int) -> str:
    """Return duration, and rows read of db.rev, in p4d's format."""
    lock_line = f"locks read/write 1/0 rows get+pos+scan put+del 0+1+{rows} 0+0"
    return f"--- lapse {_lapse(elapsed_s)}s\n--- db.rev\n---   {lock_line}\n"


def _lapse(elapsed_s: float) -> str:
    """Return a duration in seconds as in p4d's log: `.005`, `2.02`, `70.9`."""
    whole_digits = len(str(int(elapsed_s))) if elapsed_s >= 1 else 0
    return f"{elapsed_s:.{max(3 - whole_digits, 0)}f}".removeprefix("0")


def append_to_log(log: Path, request: Message, peer_ip: str, output: str) -> None:
    """Append a p4 command's start line and its tracking output to the sandbox's log."""
    sender = f"{request.text('user')}@{request.text('client')} {peer_ip}"
    program = f"[{request.text('prog')}/{request.text('version')}]"
    command = " ".join([request.func, *request.arguments])
    line = f"\t{dates.now()} pid {os.getpid()} {sender} {program} '{command}'"
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE_FILE)
    with os.fdopen(handle, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"Perforce server info:\n{line}\n{output}\n")
