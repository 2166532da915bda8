from __future__ import annotations

import json
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home.installed_program import InstalledProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    journal is the first. Temporary files are made beside `output`. `server_id` is that of the file
    `server.id`, None if unknown. `progress` gets the number of bytes read and their total.

    Raises:
        IndexFileError: a file is damaged or not a whole checkpoint; the old index stays.
    """
    command = [PROGRAM.path(), "build", "--progress", f"--output={output}"]
    command += [f"--server-id={server_id}"] if server_id is not None else []
    command += inputs(checkpoints, journals)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        notes = PROGRAM.problems(child.stderr or (), progress)
        head = child.stdout.read() if child.stdout else b""
    if child.returncode:
        raise failure(child.returncode, "\n".join(notes))
    document = json.loads(head)
    fields = {name: document[name] for name in BuiltIndex._fields if name in document}
    return BuiltIndex(**fields, notes=notes)


def inputs(checkpoints: Sequence[str], journals: Sequence[str]) -> list[str]:
    """Return the last words of a command line of `p4warden-index`."""
    return [*(f"--journal={journal}" for journal in journals), "--", *checkpoints]


def printed(
    words: Sequence[str], source: IO[bytes] | None = None, notes: list[str] | None = None
) -> Iterator[Any]:
    """Yield what `p4warden-index` prints, a JSON value a line; `source` is its standard input.

    `notes` receives its lines on standard error if it succeeds.

    Raises:
        IndexFileError: the program is missing or failed.
    """
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            [PROGRAM.path(), *words],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=errors,
            close_fds=False,
        ) as child:
            yield from map(json.loads, child.stdout or ())
        errors.seek(0)
        problem = PROGRAM.text(errors.read())
    if child.returncode:
        raise failure(child.returncode, problem)
    if notes is not None:
        notes += problem.splitlines()


def failure(code: int, problem: str) -> IndexFileError:
    """Return the error for an exit code and the text on standard error."""
    kind = NotWholeError if code == _NOT_WHOLE else IndexFileError
    return kind(problem or f"{PROGRAM.name} ended with {code}")
