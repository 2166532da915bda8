"""The folder in which one server's home gives its policy and its index to the other servers.

`shared.json` is written last and has the digests of the other files, so that a folder that is only
half written or half copied is noticed. State, logs, facts and baseline belong to one server.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files
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
    text = trusted_files.read_if_there(folder, FILE_NAME)
    if text is None:
        raise P4WardenError(
            f"{folder}/{FILE_NAME} is missing; p4warden share writes it on the host of the server "
            "whose triggers table the others have"
        )
    try:
        shared = Shared(**json.loads(text))
        is_sound = all(isinstance(value, str) for value in shared)
    except (ValueError, TypeError, RecursionError):
        is_sound = False
    if not is_sound:
        raise P4WardenError(f"{folder}/{FILE_NAME} is damaged; run p4warden share again")
    return shared


def keep(folder: str, shared: Shared) -> None:
    """Write a folder's `shared.json`."""
    trusted_files.replace(folder, FILE_NAME, json.dumps(shared._asdict(), indent=1).encode())


def copy_index(source: str, target: str, digest: str | None = None) -> str:
    """Copy the index from one folder to another, with its time; return its SHA-256.

    Raises:
        P4WardenError: the index has another SHA-256, or cannot be read or written.
    """
    path = os.path.join(target, INDEX)  # noqa: PTH118 - homes are texts
    fresh = trusted_files.beside(path, "new")
    try:
        copied = _copy(source, target, fresh)
        if digest not in (None, copied):
            raise P4WardenError(incomplete(source, INDEX))
        os.replace(fresh, path)  # noqa: PTH105 - as above
    except OSError as error:
        raise P4WardenError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        trusted_files.remove(target, os.path.basename(fresh))  # noqa: PTH119 - as above
    return copied


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


def _copy(source: str, target: str, fresh: str) -> str:
    digest, owner = hashlib.sha256(), os.stat(target)  # noqa: PTH116 - as above
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with trusted_files.open_file(source, INDEX) as file:
        with os.fdopen(os.open(fresh, flags, 0o600), "wb") as copy:
            if os.geteuid() == 0:
                os.fchown(copy.fileno(), owner.st_uid, owner.st_gid)
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        changed_ns = os.fstat(file.fileno()).st_mtime_ns
    os.utime(fresh, ns=(changed_ns, changed_ns))
    return digest.hexdigest()
