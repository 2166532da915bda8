"""Run processes and kill their process groups afterwards: p4d, and one for each experiment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ProcessResult(NamedTuple):
    """The result of a process: exit code (None if killed at its deadline), standard output."""

    code: int | None
    output: bytes


def run(
    command: Sequence[str],
    environment: dict[str, str],
    standard_input: bytes,
    deadline_s: float,
    cwd: str,
) -> ProcessResult:
    """Run a process in a new session until its end or deadline; then kill its process group.

    Standard output goes to a file, so that output before a kill is kept, and a surviving child
    process delays nothing. Standard error is dropped.

    Raises:
        OSError: the process cannot be started.
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
                    process.communicate(standard_input, timeout=deadline_s)
                code = process.poll()
            finally:
                kill_session(process)
        output.seek(0)
        return ProcessResult(code, output.read(MAX_OUTPUT_BYTES))


MAX_OUTPUT_BYTES = 64 * 1024 * 1024


@contextlib.contextmanager
def running(
    command: Sequence[str], environment: dict[str, str], cwd: str, end_s: float
) -> Iterator[subprocess.Popen[bytes]]:
    """Context manager: run a process during the body of the `with` statement, then end it.

    After SIGTERM the process has `end_s` seconds to end; then its process group is killed.

    Raises:
        OSError: the process cannot be started.
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
    """Kill a process and the processes that it started in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
