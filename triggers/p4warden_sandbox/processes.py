# No shell parses command lines, as in the Perforce API source sys/runcmd.cc, whose comments name
# the server as its user; that the server's own trigger code does the same is inferred.

from __future__ import annotations

import contextlib
import errno
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.connection_process import ConnectionProcess, started
from p4warden_sandbox.wire import to_bytes

if TYPE_CHECKING:
    import subprocess

    from p4warden_sandbox.settings import Settings


class ProcessResult(NamedTuple):
    """Exit status as a p4d sees it, and stdout with stderr."""

    status: int
    output: bytes


class TriggerProcesses:
    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self._killed_status = int(settings.behaves("killed", "failure"))
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._is_stopped = False

    def connection(self) -> ConnectionProcess:
        """Start a process that runs the triggers of one connection; raise OSError if it cannot."""
        with self._lock:
            self._check_running()
            process = ConnectionProcess(self._folder)
            self._processes.add(process.process)
        return process

    def end(self, connection: ConnectionProcess) -> None:
        connection.end()
        with self._lock:
            self._processes.discard(connection.process)

    def run_within(
        self, connection: ConnectionProcess, arguments: list[str], standard_input: bytes
    ) -> ProcessResult:
        """Run a program as `run` does, in the process of a connection."""
        words = [to_bytes(argument) for argument in arguments]
        return self._result(*connection.run(words, standard_input))

    def run(self, arguments: list[str], standard_input: bytes) -> ProcessResult:
        """Return status and whole output; raise OSError if the program cannot be started.

        The output is read until every holder of the pipe has closed it, however long that takes.
        The status after death by a signal is 0, which is success (sys/runcmd.cc takes WEXITSTATUS
        and ignores the signal), or 1 with the variant `killed=failure`.
        """
        process = self._start([to_bytes(argument) for argument in arguments])
        try:
            output, _ = process.communicate(standard_input)
        finally:
            with self._lock:
                self._processes.discard(process)
        return self._result(process.returncode, output)

    def _result(self, status: int, output: bytes) -> ProcessResult:
        return ProcessResult(self._killed_status if status < 0 else status, output)

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            leaders = {process.pid for process in self._processes}
        for pid in _pids_of_sessions(leaders):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _start(self, arguments: list[bytes]) -> subprocess.Popen[bytes]:
        with self._lock:
            self._check_running()
            # Each trigger gets its own session, so that `stop` also finds the processes that the
            # trigger started, unless they have left the session.
            process = started(arguments, cwd=self._folder, start_new_session=True)
            self._processes.add(process)
            return process

    def _check_running(self) -> None:
        if self._is_stopped:
            raise OSError(errno.ESHUTDOWN, "the server is stopping")


def _pids_of_sessions(leaders: set[int]) -> list[int]:
    processes = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid = int(entry.name)
            if os.getsid(pid) in leaders:
                processes.append(pid)
    return processes
