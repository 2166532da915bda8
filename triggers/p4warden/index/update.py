from __future__ import annotations

import json
import subprocess
from typing import NamedTuple

from p4warden.index.build import NAME, IndexFileError, program


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

    `journal` is the one that the server writes to; `rotated_path` is that of rotated ones without
    `.N`, by default `journal`.

    Raises:
        IndexFileError: a file cannot be read, or no journal continues where the last update
            stopped; the old changes stay.
    """
    command = [program(), "update", f"--journal={journal}"]
    command += [f"--rotated={rotated_path}"] if rotated_path is not None else []
    process = subprocess.run([*command, "--", index], capture_output=True, check=False)
    if process.returncode:
        error = process.stderr.decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
        raise IndexFileError(error or f"{NAME} ended with {process.returncode}")
    document = json.loads(process.stdout)
    return IndexUpdate(**{name: document[name] for name in IndexUpdate._fields})
