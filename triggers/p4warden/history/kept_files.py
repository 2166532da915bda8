"""Earlier policies and triggers tables in a home's folder `history`, named by digest.

A policy is stored in its compiled form and, if available, as the YAML that was activated; a table
is the text of `p4 triggers -o`, which `p4 triggers -i` accepts unchanged.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.history.change import Change

FOLDER = "history"
MAX_CHANGES = 30
"""Latest changes whose files are kept, besides those of the last one with the running policy."""
_DIGITS = 16


def keep_policy(home: str, digest: str, policy_json: bytes, yaml: bytes | None) -> None:
    """Raise `HomeError` if a file cannot be written."""
    _keep(home, f"policy-{digest[:_DIGITS]}.json", policy_json)
    if yaml is not None:
        _keep(home, yaml_name(digest), yaml)


def keep_table(home: str, form: str) -> str:
    """Return the digest of the stored table; raise `HomeError` if it cannot be written."""
    digest = digest_of(form)
    _keep(home, table_name(digest), form.encode())
    return digest


def digest_of(form: str) -> str:
    """Return the digest of a triggers table."""
    return hashlib.sha256(form.encode()).hexdigest()


def yaml_name(digest: str) -> str:
    """Name the YAML of a policy."""
    return f"policy-{digest[:_DIGITS]}.yaml"


def table_name(digest: str) -> str:
    """Name the file of a triggers table."""
    return f"table-{digest[:_DIGITS]}.txt"


def folder(home: str) -> str:
    """Return the path of the folder `history`."""
    return os.path.join(home, FOLDER)  # noqa: PTH118 - homes are texts


def yaml(home: str, digest: str) -> bytes | None:
    """Return None if it is not stored; raise `P4WardenError` if it is damaged or not trusted."""
    return _read_undamaged(home, yaml_name(digest), digest)


def compiled(home: str, digest: str) -> bytes | None:
    """Return None if it is not stored; raise `HomeError` if it is too large or not trusted."""
    return _read(home, f"policy-{digest[:_DIGITS]}.json")


def table(home: str, digest: str) -> str:
    """Raise `P4WardenError` if a table is no longer stored, damaged, or not trusted."""
    content = _read_undamaged(home, table_name(digest), digest)
    if content is None:
        raise P4WardenError(f"{folder(home)}/{table_name(digest)}: this table is no longer stored")
    return content.decode()


def prune(home: str, changes: Iterable[Change]) -> None:
    """Keep only the files of the given changes; raise `HomeError` if one cannot be removed."""
    changes = tuple(changes)
    stems = {_stem("policy", change.policy) for change in changes if change.policy}
    tables = [digest for change in changes for digest in (change.table, change.found_table)]
    stems |= {_stem("table", digest) for digest in tables if digest}
    for file in Path(folder(home)).glob("*-*.*"):
        if file.stem not in stems and not file.name.endswith(".new"):
            trusted_files.remove(folder(home), file.name)


def remove_all(home: str) -> None:
    """Raise `HomeError` if a file cannot be removed."""
    prune(home, ())
    with contextlib.suppress(OSError):
        Path(folder(home)).rmdir()


def _stem(kind: str, digest: str) -> str:
    return f"{kind}-{digest[:_DIGITS]}"


def _keep(home: str, name: str, content: bytes) -> None:
    _make(home)
    if _read(home, name) != content:
        trusted_files.replace(folder(home), name, content)


def _make(home: str) -> None:
    """If root creates it, it gets the owner of the home folder."""
    is_new = not os.path.isdir(folder(home))  # noqa: PTH112 - homes are texts
    trusted_files.make(folder(home))
    if is_new and os.geteuid() == 0:
        owner = Path(home).stat()
        os.chown(folder(home), owner.st_uid, owner.st_gid)


def _read(home: str, name: str) -> bytes | None:
    return trusted_files.read_if_there(folder(home), name)


def _read_undamaged(home: str, name: str, digest: str) -> bytes | None:
    content = _read(home, name)
    if content is not None and hashlib.sha256(content).hexdigest() != digest:
        raise P4WardenError(
            f"{folder(home)}/{name}: is damaged: its content does not match its digest"
        )
    return content
