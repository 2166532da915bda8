from __future__ import annotations

import json
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

from p4warden.core.errors import P4WardenError
from p4warden.home.installed_program import InstalledProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class LogError(P4WardenError):
    """Error: a p4d log, log database or `p4warden-log` cannot be used; the text says why."""


PROGRAM = InstalledProgram("p4warden-log", LogError)


def started(command: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start `p4warden-log`; it inherits files that a shell opened as `<(zstdcat log.zst)`."""
    return subprocess.Popen(command, close_fds=False, **streams)


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
    command = [PROGRAM.path(), "read", *(["--follow"] if follow else []), "--", *logs]
    with tempfile.TemporaryFile() as errors:
        with started(command, stdout=subprocess.PIPE, stderr=errors) as child:
            try:
                yield from map(json.loads, child.stdout or ())
            finally:
                child.terminate()
        errors.seek(0)
        error = PROGRAM.text(errors.read())
        if error:
            raise LogError(error)
