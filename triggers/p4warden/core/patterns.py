"""Names and patterns: `*` stands for any text, `?` for one character, all else for itself.

`fnmatch` is not used: its `[...]` would make a group or client name with a bracket mean something
else, and it costs the trigger path an import.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str, *, case_sensitive: bool) -> str:
    """Return the name as the server compares it; like p4d, only ASCII letters are folded."""
    if case_sensitive:
        return name
    # The facts can have half a million names, nearly all of them ASCII; this is ten times faster.
    return name.lower() if name.isascii() else name.translate(_ASCII_LOWER)


def matches(pattern: str, name: str) -> bool:
    """Tell whether the whole name fits the pattern, in at most len(pattern) * len(name) steps."""
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
    """Tell whether one of the names that are known fits one of the patterns."""
    folded = [fold(pattern, case_sensitive=case_sensitive) for pattern in patterns]
    known = [fold(name, case_sensitive=case_sensitive) for name in names if name is not None]
    return any(matches(pattern, name) for name in known for pattern in folded)
