from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home.installed_program import InstalledProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NOT_WHOLE = 4


class IndexFileError(P4WardenError):
    """A checkpoint, journal or index cannot be used, or `p4warden-index` is missing."""


class NotWholeError(IndexFileError):
    """A file or folder is not a whole checkpoint; the message names the newest that is."""


PROGRAM = InstalledProgram("p4warden-index", IndexFileError)


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

    `checkpoints` are a file, plain or gzip, the folder of a parallel one, or its files; the oldest
    journal is the first. `progress` gets the number of bytes read and their total.

    Raises:
        IndexFileError: a file is damaged or not a whole checkpoint; the old index stays.
    """
    command = [PROGRAM.path(), "build", "--progress", f"--output={output}"]
    command += [f"--server-id={server_id}"] if server_id is not None else []
    command += [f"--journal={journal}" for journal in journals]
    with subprocess.Popen(
        [*command, "--", *checkpoints], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        notes = PROGRAM.problems(child.stderr or (), progress)
        head = child.stdout.read() if child.stdout else b""
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))
    document = json.loads(head)
    fields = {name: document[name] for name in BuiltIndex._fields if name in document}
    return BuiltIndex(**fields, notes=notes)


def failure(code: int, problem: str) -> IndexFileError:
    """Return the error for an exit code and the text on standard error."""
    kind = NotWholeError if code == _NOT_WHOLE else IndexFileError
    return kind(problem or f"{PROGRAM.name} ended with {code}")


class IndexUpdate(NamedTuple):
    """All but the transactions are counted since the checkpoint."""

    transactions: int  # read by this update
    time_s: int  # of the last transaction, since the epoch
    files: int
    revisions: int
    clients: int
    streams: int


def update(index: str, journal: str, rotated_path: str | None) -> IndexUpdate:
    """Read the journals' new part; write all changes since the checkpoint beside the index.

    `journal` is the present one, `rotated_path` that of rotated ones without `.N` if it differs.

    Raises:
        IndexFileError: a file cannot be read, or no journal continues where the last update
            stopped; the old changes stay.
    """
    command = [PROGRAM.path(), "update", f"--journal={journal}"]
    command += [f"--rotated={rotated_path}"] if rotated_path is not None else []
    process = subprocess.run([*command, "--", index], capture_output=True, check=False)
    if process.returncode:
        raise failure(process.returncode, PROGRAM.text(process.stderr))
    document = json.loads(process.stdout)
    return IndexUpdate(**{name: document[name] for name in IndexUpdate._fields})
