"""The folder in which one server's home gives its policy, facts and index to the other servers.

`shared.json` has the digests of the other files and is written after them, which shows a folder
that is half written or half copied. `SHA256SUMS` has them for `sha256sum --check` on hosts without
Python, which take over the gate and `policy.json`; its last line is that of `shared.json`. State,
logs and baseline belong to one server.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.core.facts import FILE_NAME as FACTS
from p4warden.home import json_file, trusted_files
from p4warden.home.trusted_files import INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME, POLICY, SUMS = "shared.json", "policy.yaml", "SHA256SUMS"
GATE = f"p4warden-gate.{os.uname().machine}"
"""Name of the gate for hosts with the processor of this one."""
_BLOCK_BYTES = 1 << 20


class Shared(NamedTuple):
    """The content of `shared.json`.

    Attributes:
        program: the paths in the trigger lines and their form.
        facts_ns: when the facts were asked of their server, whatever times a copy has.
        sums: the SHA-256 of each other file by its name.
    """

    program: str
    facts_ns: int
    sums: Mapping[str, str]

    @property
    def policy(self) -> str:
        """The digest of the policy."""
        return self.sums[POLICY]


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
    words = [shared.program, shared.policy, shared.sums[FACTS], *shared.sums.values()]
    if not (isinstance(shared.facts_ns, int) and {*map(type, words)} == {str}):
        raise TypeError(document)
    return shared


def keep(folder: str, shared: Shared) -> None:
    """Write a folder's `shared.json` and `SHA256SUMS`."""
    json_file.keep(folder, FILE_NAME, shared._asdict())
    own = hashlib.sha256(trusted_files.read(folder, FILE_NAME)).hexdigest()
    lines = [f"{digest}  {name}\n" for name, digest in (*shared.sums.items(), (FILE_NAME, own))]
    trusted_files.replace(folder, SUMS, "".join(lines).encode())


def add(folder: str, name: str, content: bytes) -> str:
    """Write another file of a folder, unless it is the same already; return its SHA-256."""
    if not _has(folder, name, content):
        trusted_files.replace(folder, name, content)
    return hashlib.sha256(content).hexdigest()


def _has(folder: str, name: str, content: bytes) -> bool:
    """False as well for a file that is not trusted, which is replaced."""
    try:
        return trusted_files.read_if_there(folder, name) == content
    except trusted_files.HomeError:
        return False


def read(folder: str, shared: Shared, name: str) -> bytes:
    """Return the content of another file of a folder.

    Raises:
        P4WardenError: it is not the one of `shared.json`, or cannot be read.
    """
    content = trusted_files.read(folder, name)
    if hashlib.sha256(content).hexdigest() != shared.sums.get(name):
        raise P4WardenError(incomplete(folder, name))
    return content


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
