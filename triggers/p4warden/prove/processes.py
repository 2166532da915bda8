from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


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
    command: Sequence[str],
    environment: dict[str, str],
    cwd: str,
    end_s: float,
    *,
    has_own_session: bool = True,
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
            start_new_session=has_own_session,
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
    """Kill a process and, if it has its own process group, those that it started in it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def output_of(
    command: Sequence[str], environment: Mapping[str, str], limit_s: float, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a process without input; its output and its errors are one text."""
    return subprocess.run(
        command,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=limit_s,
        check=False,
    )


def tries(limit_s: float, pause_s: float = 0.05) -> Iterator[None]:
    """Yield again and again, with pauses, until the time is over."""
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s:
        yield
        time.sleep(pause_s)
