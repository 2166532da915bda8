"""Lines of the protections table that have no effect, or slow down every check.

p4d reads the table for each file that a command shows, and the last line that matches a user, a
host and a path decides (p4 help protect). `db.protect` has for each line its rights as bits.
Whether an exclusion removes only the rights it names or all rights is not documented for every
right: a line is reported as dead only if it has no effect in both cases.
"""

from __future__ import annotations

import functools
import operator
import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.patterns import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WILDCARD = re.compile(r"\.\.\.|\*|%%[0-9]")
RIGHTS = {
    "list": 0x01,
    "=read": 0x02,
    "=branch": 0x04,
    "read": 0x07,
    "=open": 0x08,
    "open": 0x0F,
    "=write": 0x10,
    "write": 0x1F,
    "super": 0xFF,
}
"""The bits of single rights ("P4 Server Schema", Perm); a level has those of its rights and of all
lower levels (p4 help protect). 0x1f and 0xff occur in real checkpoints of known tables.
"""
SUPER = 0x40
"""The bit that super access has and no other right."""
_NAMES = {bits: name for name, bits in RIGHTS.items()}
"""Without `admin`, `review` and `owner`, as no source says which bits these have together."""


class Protection(NamedTuple):
    is_group: bool
    name: str
    host: str  # an address, or a pattern of addresses
    rights: int  # bits, as in `db.protect`
    is_exclusion: bool
    path: str  # without the `-` of an exclusion

    def text(self) -> str:
        """As in the `p4 protect` form; unknown rights as a hexadecimal number."""
        return " ".join(self.parts())

    def parts(self) -> tuple[str, ...]:
        """Return rights, kind, name, host and path as in `text`."""
        rights = _NAMES.get(self.rights, f"rights 0x{self.rights:x}")
        kind, mark = ("group" if self.is_group else "user"), ("-" if self.is_exclusion else "")
        return rights, kind, self.name, self.host, f"{mark}{self.path}"


class DeadLine(NamedTuple):
    number: int  # from 1
    covering_line: int | None  # None for an exclusion with nothing to exclude


def dead(lines: Sequence[Protection], *, case_sensitive: bool = True) -> Iterator[DeadLine]:
    """Yield lines that certainly have no effect; all of them may be removed together."""
    fold_name = functools.partial(fold, case_sensitive=case_sensitive)
    folded_lines = [folded(line, fold_name) for line in lines]
    dead_places: set[int] = set()
    for place, line in enumerate(folded_lines):
        by = _later(folded_lines, place, dead_places)
        if by is None:
            by = _earlier(folded_lines, place, dead_places)
        if by is not None:
            dead_places.add(place)
            yield DeadLine(place + 1, by + 1)
        elif line.is_exclusion and not _anything_before(folded_lines, place):
            dead_places.add(place)
            yield DeadLine(place + 1, None)


def slow(lines: Sequence[Protection]) -> Iterator[tuple[int, str]]:
    """Yield number and reason of slow lines: exclusions, wildcards inside the path."""
    for number, line in enumerate(lines, 1):
        wildcard = _WILDCARD.search(line.path)
        if wildcard and wildcard.end() < len(line.path):
            yield number, f"has {wildcard[0]} within its path"
        elif line.is_exclusion:
            yield number, "is an exclusion"


def _later(lines: Sequence[Protection], place: int, dead_places: set[int]) -> int | None:
    line = lines[place]
    everything = functools.reduce(operator.or_, (one.rights for one in lines))
    for at in range(place + 1, len(lines)):
        other = lines[at]
        needed_rights = everything if line.is_exclusion and not other.is_exclusion else line.rights
        if at not in dead_places and needed_rights & ~other.rights == 0 and _covers(other, line):
            return at
    return None


def _earlier(lines: Sequence[Protection], place: int, dead_places: set[int]) -> int | None:
    line = lines[place]
    for at in range(place - 1, -1, -1):
        other = lines[at]
        if other.is_exclusion != line.is_exclusion:
            if _meets(other, line):
                return None
        elif at not in dead_places and line.rights & ~other.rights == 0 and _covers(other, line):
            return at
    return None


def _anything_before(lines: Sequence[Protection], place: int) -> bool:
    line = lines[place]
    return any(not other.is_exclusion and _meets(other, line) for other in lines[:place])


def _covers(outer: Protection, inner: Protection) -> bool:
    """False if in doubt, as for different patterns of names or hosts."""
    return (
        _covers_name(outer, inner)
        and outer.host in ("*", inner.host)
        and _covers_path(outer.path, inner.path)
    )


def _covers_name(outer: Protection, inner: Protection) -> bool:
    if outer.name == "*" and not outer.is_group:
        return True
    return (outer.is_group, outer.name) == (inner.is_group, inner.name)


def _covers_path(outer: str, inner: str) -> bool:
    if outer == inner:
        return True
    literal, dots, behind = outer.partition("...")
    return (
        bool(dots)
        and not behind
        and not _WILDCARD.search(literal)
        and _literal(inner).startswith(literal)
    )


def _meets(one: Protection, other: Protection) -> bool:
    """False only if two literal user names differ or the beginnings of the paths diverge."""
    same_kind = one.is_group == other.is_group
    apart = same_kind and one.name != other.name and not one.is_group
    if apart and not _WILDCARD.search(one.name + other.name):
        return False
    front, behind = sorted((_literal(one.path), _literal(other.path)), key=len)
    return behind.startswith(front)


def _literal(path: str) -> str:
    wildcard = _WILDCARD.search(path)
    return path[: wildcard.start()] if wildcard else path


def folded(line: Protection, fold_name: Callable[[str], str]) -> Protection:
    """Return a line with its name, host and path in the case in which they are compared."""
    name, host, path = map(fold_name, (line.name, line.host, line.path))
    return line._replace(name=name, host=host, path=path)
