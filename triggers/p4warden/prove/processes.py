"""Processes that always end: p4d, and one process for each experiment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Ended(NamedTuple):
    """How a process ended: its exit code, None where it was killed at its deadline; its output."""

    code: int | None
    output: bytes


def run(
    command: Sequence[str], environment: dict[str, str], given: bytes, deadline_s: float, cwd: str
) -> Ended:
    """Run a process in a session of its own to its end or deadline; nothing of it is left.

    Standard output goes to a file, so that what was written before a kill is there, and a process
    of its own that outlives it holds nothing up. Standard error is dropped.

    Raises:
        OSError: it cannot be started.
    """
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(
            command,
            env=environment,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.communicate(given, timeout=deadline_s)
                code = process.poll()
            finally:
                kill_session(process)
        output.seek(0)
        return Ended(code, output.read(MAX_OUTPUT_BYTES))


MAX_OUTPUT_BYTES = 64 * 1024 * 1024


@contextlib.contextmanager
def running(
    command: Sequence[str], environment: dict[str, str], cwd: str, end_s: float
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process that runs meanwhile; it and its session are ended at the end.

    It gets `end_s` to end by itself.

    Raises:
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(end_s)
        kill_session(process)


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process and of those it started in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
