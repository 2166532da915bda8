"""Update a checkpoint's index from the journals since then: write changes to a file beside it.

The program `p4warden-index update` continues where the last update stopped.
"""

from __future__ import annotations

import json
import subprocess
from typing import NamedTuple

from p4warden.index.build import NAME, IndexFileError, program


class IndexUpdate(NamedTuple):
    """Counts of an update of a checkpoint's index from journals.

    Attributes:
        transactions: the number of transactions read by this update.
        time_s: the time of the last transaction, in seconds since the epoch.
        files: the number of files changed since the checkpoint.
        revisions: the number of revisions changed since the checkpoint.
        clients: the number of clients changed since the checkpoint.
        streams: the number of streams changed since the checkpoint.
    """

    transactions: int
    time_s: int
    files: int
    revisions: int
    clients: int
    streams: int


def update(index: str, journal: str, rotated_path: str | None) -> IndexUpdate:
    """Update an index: read the journals' new part, and write all changes since the checkpoint.

    Args:
        index: the path of the index; the delta file with the changes is beside it.
        journal: the journal that the server writes to.
        rotated_path: the path of rotated journals without the ending `.N`; None for that of
            `journal`.

    Raises:
        IndexFileError: the index or a journal cannot be read, or no journal continues where the
            last update stopped; the old delta file stays.
    """
    command = [program(), "update", f"--journal={journal}"]
    command += [f"--rotated={rotated_path}"] if rotated_path is not None else []
    process = subprocess.run([*command, "--", index], capture_output=True, check=False)
    if process.returncode:
        error = process.stderr.decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
        raise IndexFileError(error or f"{NAME} ended with {process.returncode}")
    document = json.loads(process.stdout)
    return IndexUpdate(**{name: document[name] for name in IndexUpdate._fields})
