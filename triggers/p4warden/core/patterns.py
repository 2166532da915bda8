"""Name patterns of a policy: `*` is any text, `?` one character, all else itself.

The `[...]` of `fnmatch` would change the meaning of names with a bracket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str, *, case_sensitive: bool) -> str:
    """Return a name to compare; unless `case_sensitive`, ASCII letters become lower case."""
    if case_sensitive:
        return name
    # Ten times faster than `translate`; facts may contain half a million names.
    return name.lower() if name.isascii() else name.translate(_ASCII_LOWER)


def matches(pattern: str, name: str) -> bool:
    """Take time that grows at most with len(pattern) * len(name)."""
    at = place = 0
    star = restart = None
    while place < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, restart = at, place
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[place]):
            at, place = at + 1, place + 1
        elif star is not None and restart is not None:
            restart += 1
            at, place = star + 1, restart
        else:
            return False
    return not pattern[at:].strip("*")


def any_matches(
    patterns: Iterable[str], names: Iterable[str | None], *, case_sensitive: bool
) -> bool:
    """Tell whether at least one name matches at least one pattern; names that are None do not."""
    folded_patterns = [fold(pattern, case_sensitive=case_sensitive) for pattern in patterns]
    folded_names = [
        fold(name, case_sensitive=case_sensitive) for name in names if name is not None
    ]
    return any(matches(pattern, name) for name in folded_names for pattern in folded_patterns)
