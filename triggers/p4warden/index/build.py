from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

NAME = "p4warden-index"
_NOT_WHOLE = 4


class IndexFileError(P4WardenError):
    """A checkpoint, journal or index cannot be used, or `p4warden-index` is missing."""


class NotWholeError(IndexFileError):
    """A file or folder is not a whole checkpoint; the message names the newest that is."""


class BuiltIndex(NamedTuple):
    files: int  # including deleted ones
    revisions: int
    clients: int
    case: str  # `sensitive`, `folded`, or `either` if the records' order fits both
    change: int | None  # last changelist; None if the checkpoint has no counter
    notes: list[str]  # about parts that were left out


def build(
    checkpoints: Sequence[str],
    journals: Sequence[str],
    output: str,
    server_id: str | None,
    progress: Callable[[int, int], None],
) -> BuiltIndex:
    """Build an index, which replaces `output` once it is complete.

    Args:
        checkpoints: a file, plain or gzip, the folder of a parallel checkpoint, or its files.
        journals: the journals after the checkpoint, the oldest first.
        output: its folder gets the temporary files, too.
        server_id: the server's `server.id`; None if unknown.
        progress: is called with the number of bytes read and their total.

    Raises:
        IndexFileError: a file is damaged or not a whole checkpoint; the old index stays.
    """
    command = [program(), "build", "--progress", f"--output={output}"]
    command += [f"--server-id={server_id}"] if server_id is not None else []
    command += [f"--journal={journal}" for journal in journals]
    with subprocess.Popen(
        [*command, "--", *checkpoints], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        notes = _relay_progress(child.stderr or (), progress)
        head = child.stdout.read() if child.stdout else b""
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))
    document = json.loads(head)
    fields = {name: document[name] for name in BuiltIndex._fields if name in document}
    return BuiltIndex(**fields, notes=notes)


def failure(code: int, problem: str) -> IndexFileError:
    """Return the error for an exit code and the text on standard error."""
    kind = NotWholeError if code == _NOT_WHOLE else IndexFileError
    return kind(problem or f"{NAME} ended with {code}")


def program() -> str:
    """Raise `IndexFileError` if the program is not installed."""
    path = Path(sys.executable).with_name(NAME)
    if not path.is_file():
        raise IndexFileError(
            f"{NAME} is not installed beside {sys.executable}; install p4warden again, from a "
            "wheel that contains it or with cargo on PATH"
        )
    return str(path)


def _relay_progress(lines: Iterable[bytes], progress: Callable[[int, int], None]) -> list[str]:
    """Pass progress lines in the output of `p4warden-index` on; return the other lines."""
    notes = []
    for line in lines:
        if line.startswith(b"{"):
            document = json.loads(line)
            progress(document["read_bytes"], document["of_bytes"])
        else:
            notes.append(line.decode("utf-8", "replace").removeprefix(f"{NAME}: ").strip())
    return notes
