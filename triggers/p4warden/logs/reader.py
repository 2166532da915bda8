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
    """Raise `LogError` if the program is not installed."""
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
    """Return the problems; `progress` is called with the bytes read and their total."""
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

    Logs are plain or compressed, text or structured, named in any order; `-` alone is the standard
    input. The key `record` is `command`, `event` or, in the last record, `counts`. Keys without a
    value are absent. Times are seconds since the epoch; those of text logs are converted from
    local time by `TZ` or the machine's zone. A byte that is not UTF-8 is `\xNN`. With `follow`
    lines added to the latest log are read without end, unless it is a pipe.

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
