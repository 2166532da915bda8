"""The folder in which one server's home gives its policy and its index to the other servers.

`shared.json` is written last and has the digests of the other files, so that a folder that is only
half written or half copied is noticed. State, logs, facts and baseline belong to one server.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import json_file, trusted_files
from p4warden.home.trusted_files import INDEX

FILE_NAME, POLICY = "shared.json", "policy.yaml"
_BLOCK_BYTES = 1 << 20


class Shared(NamedTuple):
    """The content of `shared.json`.

    Attributes:
        program: the paths in the trigger lines and their form.
        index_digest: the SHA-256 of the index, or "".
    """

    program: str
    policy: str
    index_digest: str


def load(folder: str) -> Shared:
    """Return the content of a folder's `shared.json`.

    Raises:
        P4WardenError: it is missing, damaged or not trusted.
    """
    damaged = " is damaged; run p4warden share again"
    shared = json_file.load(folder, FILE_NAME, _shared, damaged)
    if shared is None:
        raise P4WardenError(
            f"{folder}/{FILE_NAME} is missing; p4warden share writes it on the host of the server "
            "whose triggers table the others have"
        )
    return shared


def _shared(document: Any) -> Shared:
    shared = Shared(**document)
    if not all(isinstance(value, str) for value in shared):
        raise TypeError(document)
    return shared


def keep(folder: str, shared: Shared) -> None:
    """Write a folder's `shared.json`."""
    json_file.keep(folder, FILE_NAME, shared._asdict())


def copy_index(source: str, target: str, digest: str | None = None) -> str:
    """Copy the index from one folder to another, with its time; return its SHA-256.

    Raises:
        P4WardenError: the index has another SHA-256, or cannot be read or written.
    """
    copied = hashlib.sha256()
    with (
        trusted_files.open_file(source, INDEX) as file,
        trusted_files.replacing(target, INDEX) as copy,
    ):
        while block := file.read(_BLOCK_BYTES):
            copied.update(block)
            copy.write(block)
        if digest not in (None, copied.hexdigest()):
            raise P4WardenError(incomplete(source, INDEX))
        copy.flush()  # a later write would change the time
        changed_ns = os.fstat(file.fileno()).st_mtime_ns
        os.utime(copy.fileno(), ns=(changed_ns, changed_ns))
    return copied.hexdigest()


def is_same_index(one: str, other: str) -> bool:
    """Tell whether two folders have an index of the same size and time."""
    try:
        first, second = (os.stat(os.path.join(folder, INDEX)) for folder in (one, other))  # noqa: PTH116, PTH118
    except OSError:
        return False
    return (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)


def incomplete(folder: str, name: str) -> str:
    """Return the text of an error about a file that is not the one of `shared.json`."""
    return (
        f"{folder}/{name} is not the file that {FILE_NAME} describes, so the folder is being "
        "written or copied; this host keeps what it has; try again when that has ended"
    )
