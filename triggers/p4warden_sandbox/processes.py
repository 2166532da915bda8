# No shell parses command lines, as in the Perforce API source sys/runcmd.cc, whose comments name
# the server as its user; that the server's own trigger code does the same is inferred.

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.wire import to_bytes

if TYPE_CHECKING:
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
        status = process.returncode
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
            if self._is_stopped:
                raise OSError(errno.ESHUTDOWN, "the server is stopping")
            try:
                process = self._popen(arguments)
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
                # Run a script without a `#!` line in the shell, as execvp does and subprocess does
                # not.
                process = self._popen([b"/bin/sh", _program_path(arguments[0]), *arguments[1:]])
            self._processes.add(process)
            return process

    def _popen(self, arguments: list[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            arguments,
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Keep SIGPIPE ignored in trigger processes, as a real server does (inferred).
            restore_signals=False,
            # Each trigger gets its own session, so that `stop` also finds the processes that the
            # trigger started, unless they have left the session.
            start_new_session=True,
        )


def _program_path(program: bytes) -> bytes:
    return shutil.which(program) or program


def _pids_of_sessions(leaders: set[int]) -> list[int]:
    processes = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(ValueError, ProcessLookupError):
            pid = int(entry.name)
            if os.getsid(pid) in leaders:
                processes.append(pid)
    return processes
