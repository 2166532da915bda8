"""Checkpoints and journals -> an index, by `p4warden-index build`.

The program is installed beside this Python, from the same wheel; without cargo there is none.
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


class IndexFileError(P4WardenError):
    """No index can be made; the text names the file and says why."""


class Built(NamedTuple):
    """An index that was made.

    Attributes:
        files: how many files there are, deleted ones included.
        revisions: how many revisions.
        clients: how many clients.
        case: `sensitive` or `folded`, by the order of the tables; `either` where that shows
            neither.
        change: the number of the last changelist; None where the checkpoint has no counter.
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
) -> Built:
    """Make an index, which takes the place of `output` once it is whole.

    Args:
        checkpoints: files, or directories of parallel checkpoints; plain or gzip.
        journals: those after the checkpoint, the oldest first.
        output: the index; temporary files without names are beside it.
        server_id: the server's `server.id`; None where it is not known.
        progress: is told how many bytes of how many were read.

    Raises:
        IndexFileError: a file cannot be read, or is damaged or cut off; the old index stays.
    """
    command = [program(), "build", "--progress", f"--output={output}"]
    command += [f"--server-id={server_id}"] if server_id is not None else []
    command += [f"--journal={journal}" for journal in journals]
    with subprocess.Popen(
        [*command, "--", *checkpoints], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        notes = _told(child.stderr or (), progress)
        head = child.stdout.read() if child.stdout else b""
    if child.returncode:
        raise IndexFileError("\n".join(notes) or f"{NAME} ended with {child.returncode}")
    found = json.loads(head)
    known = {name: found[name] for name in Built._fields if name in found}
    return Built(**known, notes=notes)


def program() -> str:
    """Return the path of the program that makes and reads indexes.

    Raises:
        IndexFileError: it is not installed.
    """
    path = Path(sys.executable).with_name(NAME)
    if not path.is_file():
        raise IndexFileError(
            f"{NAME} is not installed beside {sys.executable}; install with cargo"
        )
    return str(path)


def _told(lines: Iterable[bytes], progress: Callable[[int, int], None]) -> list[str]:
    """Hand on what the program tells of its progress; return what else it says."""
    notes = []
    for line in lines:
        if line.startswith(b"{"):
            document = json.loads(line)
            progress(document["read_bytes"], document["of_bytes"])
        else:
            notes.append(line.decode("utf-8", "replace").removeprefix(f"{NAME}: ").strip())
    return notes
