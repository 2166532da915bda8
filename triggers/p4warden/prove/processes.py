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
    """`code` is None if the process was killed at its deadline."""

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
    process delays nothing. Raises OSError if the process cannot be started.
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
    """Run a process during a `with` block; it has `end_s` seconds after SIGTERM, then is killed.

    Raises: OSError: the process cannot be started.
    """
    with _heeding_signals():
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


@contextlib.contextmanager
def _heeding_signals() -> Iterator[None]:
    """Let a program that is started meanwhile not inherit ignored signals, as of nohup or `&`.

    A program does not inherit handlers; Popen itself restores SIGPIPE and SIGXFSZ.
    """
    signals = signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}
    ignored = [number for number in signals if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda _number, _frame: None)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the processes that it started in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
