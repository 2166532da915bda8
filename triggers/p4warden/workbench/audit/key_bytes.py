"""What leading parts of paths take of the keys of db.rev and db.have, and what short names save.

Whole paths are keys (P4 Server Administrator Guide, "Use patterns"), so the name of a directory or
a client is in the key of each record below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.audit.clients import AuditedClient

SHORT_BYTES = 8
_SAME = 0.9
"""A directory with at least this part of the keys of the one above it only makes paths longer."""


class Part(NamedTuple):
    path: str
    table: str
    keys: int
    bytes: int  # in all keys, of what comes after the part shown for an outer directory
    saved: int  # with names of `SHORT_BYTES`


def parts(directories: Sequence[tuple[str, int]], clients: Sequence[AuditedClient]) -> list[Part]:
    """Return the parts with most bytes first; `directories` with their keys, outer ones first."""
    found = [*_of_revisions(directories), *_of_clients(clients)]
    return sorted(found, key=lambda part: (-part.bytes, part.path))


def _of_revisions(directories: Sequence[tuple[str, int]]) -> Iterator[Part]:
    outer = [""]
    for place, (path, keys) in enumerate(directories):
        inner = (n for below, n in directories[place + 1 :] if below.startswith(path))
        if max(inner, default=0) >= _SAME * keys:
            continue
        while not path.startswith(outer[-1]):
            outer.pop()
        part = path.removeprefix(outer[-1])
        outer.append(path)
        yield _part(path, "db.rev", part, keys)


def _part(path: str, table: str, part: str, keys: int) -> Part:
    names = (_bytes(name) for name in part.split("/"))
    saved = sum(max(0, length - SHORT_BYTES) for length in names)
    return Part(path, table, keys, keys * _bytes(part), keys * saved)


def _of_clients(clients: Sequence[AuditedClient]) -> Iterator[Part]:
    each = [_part("", "", f"//{one.domain.name}/", one.have) for one in clients if one.have]
    if each:
        keys, in_all, saved = (sum(numbers) for numbers in list(zip(*each, strict=True))[2:])
        yield Part(f"//CLIENT/ of {amount(len(each), 'client')}", "db.have", keys, in_all, saved)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
