"""Blocks of a text log as p4d writes them, for tests."""

from __future__ import annotations

HEADER = "Perforce server info:\n"
ANN = "ann@ann-ws 10.0.0.1 [p4/v93]"


def start(time: str, pid: int, command: str, sender: str = ANN, day: str = "2026/03/02") -> str:
    """Return the text log block about a command's start, such as `user-fstat //depot/...`."""
    return f"{HEADER}\t{day} {time} pid {pid} {sender} '{command}'\n\n"


def done(time: str, pid: int, lapse: str, day: str = "2026/03/02") -> str:
    """Return the text log block about a command's end, with the command's duration in seconds."""
    return f"{HEADER}\t{day} {time} pid {pid} completed {lapse}s\n"
