"""A server's journals since the checkpoint of an index -> the delta beside it.

`p4warden-index update` reads on where the last update stopped.
"""

from __future__ import annotations

import json
import subprocess
from typing import NamedTuple

from p4warden.index.build import NAME, IndexFileError, program


class Updated(NamedTuple):
    """A delta that was written.

    Attributes:
        transactions: how many were read this time.
        time_s: the time of the last one, in seconds since the epoch.
        files: how many files changed since the checkpoint.
        revisions: how many revisions.
        clients: how many clients.
        streams: how many streams.
    """

    transactions: int
    time_s: int
    files: int
    revisions: int
    clients: int
    streams: int


def update(index: str, journal: str, rotated: str | None) -> Updated:
    """Read on in the journals, and write what changed since the checkpoint.

    Args:
        index: the index; its delta is beside it.
        journal: the journal that the server writes to.
        rotated: what stands before `.N` in the paths of rotated journals; None for `journal`.

    Raises:
        IndexFileError: the index or a journal cannot be read, or no journal continues where the
            last update stopped; the old delta stays.
    """
    command = [program(), "update", f"--journal={journal}"]
    command += [f"--rotated={rotated}"] if rotated is not None else []
    done = subprocess.run([*command, "--", index], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().removeprefix(f"{NAME}: ")
        raise IndexFileError(said or f"{NAME} ended with {done.returncode}")
    found = json.loads(done.stdout)
    return Updated(**{name: found[name] for name in Updated._fields})
