# A p4d has a process for each connection, a copy of the server's own, which starts the triggers of
# its commands (Perforce API source sys/runcmd.cc; that it is forked is inferred). Here it is a
# program with the server's name, because a Python process with threads cannot be copied.

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

_NAME = "/proc/{}/comm"


class ConnectionProcess:
    """Runs programs one after another, until it is ended."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", __file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            restore_signals=False,
            start_new_session=True,
        )

    def run(self, arguments: list[bytes], standard_input: bytes) -> tuple[int, bytes]:
        """Return status (negative after a signal) and output; raise OSError as Popen does.

        A process that was killed gives a failure without output.
        """
        words = [word.decode("latin-1") for word in (*arguments, standard_input)]
        try:
            number, status, output = json.loads(self._answer(json.dumps(words).encode()))
        except BrokenPipeError:
            return 1, b""
        if number:
            raise OSError(number, os.strerror(number))
        return status, output.encode("latin-1")

    def _answer(self, line: bytes) -> bytes:
        to, back = self.process.stdin, self.process.stdout
        if to is None or back is None:
            raise BrokenPipeError
        to.write(line + b"\n")
        to.flush()
        return back.readline() or b'[0, 1, ""]'

    def end(self) -> None:
        self.process.communicate()


def started(arguments: list[bytes], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program whose output and errors are one pipe."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    # SIGPIPE stays ignored in trigger processes, as a real server does (inferred).
    options = {**pipes, "restore_signals": False, **options}
    try:
        return subprocess.Popen(arguments, **options)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        # Run a script without a `#!` line in the shell, as execvp does and subprocess does not.
        program = shutil.which(arguments[0]) or arguments[0]
        return subprocess.Popen([b"/bin/sh", program, *arguments[1:]], **options)


def _answer(line: bytes, folder: str) -> tuple[int, int, str]:
    *arguments, standard_input = (word.encode("latin-1") for word in json.loads(line))
    try:
        process = started(arguments, cwd=folder)
    except OSError as error:
        return error.errno or errno.EIO, 0, ""
    output, _ = process.communicate(standard_input)
    return 0, process.returncode, output.decode("latin-1")


def _serve(folder: str) -> None:
    own, parents = (Path(_NAME.format(pid)) for pid in (os.getpid(), os.getppid()))
    own.write_text(parents.read_text().removesuffix("\n"))
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(_answer(line, folder)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve(sys.argv[1])
