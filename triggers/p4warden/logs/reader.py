"""Reading of Perforce servers' logs through `p4warden-log`, a program written in Rust.

The program is installed beside the Python interpreter, from p4warden's wheel; if the wheel was
built without cargo, the program is missing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

NAME = "p4warden-log"


class LogError(P4WardenError):
    """Error: a p4d log, log database or `p4warden-log` cannot be used; the text says why."""


def program() -> str:
    """Return the path of the program `p4warden-log`.

    Raises:
        LogError: the program is not installed.
    """
    path = Path(sys.executable).with_name(NAME)
    if not path.is_file():
        raise LogError(
            f"{NAME} is not installed beside {sys.executable}; install p4warden again, from a "
            "wheel that contains it or with cargo on PATH"
        )
    return str(path)


def started(command: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start `p4warden-log`; it inherits files that a shell opened as `<(zstdcat log.zst)`."""
    return subprocess.Popen(command, close_fds=False, **streams)


def stderr_problems(lines: Iterable[bytes], progress: Callable[[int, int], None]) -> list[str]:
    """Return the problems in lines that `p4warden-log` writes to standard error.

    Other lines state progress: for each of these, `progress` is called with the number of bytes
    read and their total.
    """
    problems = []
    for line in lines:
        if line.startswith(b"{"):
            document = json.loads(line)
            progress(document["read_bytes"], document["of_bytes"])
        else:
            problems.append(line.decode("utf-8", "replace").removeprefix(f"{NAME}: ").strip())
    return problems


def records(logs: Sequence[str], *, follow: bool = False) -> Iterator[dict[str, Any]]:
    r"""Yield the commands and events in logs, and then numbers such as that of the lines read.

    Logs are plain or compressed, text or structured, named in any order. The key `record` of a
    record is `command`, `event` or, in the last record, `counts`. Keys without a value in the log
    are absent. Times are seconds since the epoch; those of text logs are converted from local time
    by `TZ` or the machine's zone. A byte that is not UTF-8 is shown as `\xNN`.

    Args:
        logs: paths; `-` alone is the standard input.
        follow: continue, without end, with lines added to the latest log, unless it is a pipe.

    Raises:
        LogError: `p4warden-log` is not installed, or a file is not a log or is cut off; everything
            readable was yielded before.
    """
    command = [program(), "read", *(["--follow"] if follow else []), "--", *logs]
    with tempfile.TemporaryFile() as errors:
        with started(command, stdout=subprocess.PIPE, stderr=errors) as child:
            try:
                yield from map(json.loads, child.stdout or ())
            finally:
                child.terminate()
        errors.seek(0)
        error = errors.read().decode("utf-8", "replace").replace(f"{NAME}: ", "").strip()
        if error:
            raise LogError(error)
