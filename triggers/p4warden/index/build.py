"""Build an index of checkpoints and journals with the program `p4warden-index build`.

The program is installed beside this Python, from the same wheel; without cargo it is missing.
"""

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
    """Error: a checkpoint, journal or index cannot be used, or `p4warden-index` is missing."""


class NotWholeError(IndexFileError):
    """Error: a file or folder is not a whole checkpoint; the message names the newest that is."""


class BuiltIndex(NamedTuple):
    """Data about a newly built checkpoint index.

    Attributes:
        files: the number of files, including deleted ones.
        revisions: the number of revisions.
        clients: the number of clients.
        case: the server's case handling, `sensitive` or `folded`, by the order of the records;
            `either` if their order fits both.
        change: the number of the last changelist; None if the checkpoint has no counter.
        notes: lines about parts that were left out.
    """

    files: int
    revisions: int
    clients: int
    case: str
    change: int | None
    notes: list[str]


def build(
    checkpoints: Sequence[str],
    journals: Sequence[str],
    output: str,
    server_id: str | None,
    progress: Callable[[int, int], None],
) -> BuiltIndex:
    """Build a checkpoint index, which replaces `output` once it is complete.

    Args:
        checkpoints: a file, plain or gzip, the folder of a parallel checkpoint, or its files.
        journals: the journals after the checkpoint, the oldest first.
        output: the path of the index; temporary files are in the same folder.
        server_id: the server's `server.id`; None if unknown.
        progress: is called with the number of bytes read and their total.

    Raises:
        IndexFileError: the program failed, for example because a file is damaged or is not a whole
            checkpoint; the old index stays.
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
    """Return the error for an exit code of the program and its text on standard error."""
    kind = NotWholeError if code == _NOT_WHOLE else IndexFileError
    return kind(problem or f"{NAME} ended with {code}")


def program() -> str:
    """Return the path of the program `p4warden-index`, which builds and reads indexes.

    Raises:
        IndexFileError: the program is not installed.
    """
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
