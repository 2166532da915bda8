"""Name patterns of a policy: `*` is any text, `?` one character, all else itself.

The `[...]` of `fnmatch` would change the meaning of names with a bracket.
"""

from __future__ import annotations

import fnmatch
import functools
import re
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
    return _expression(pattern).match(name) is not None


@functools.cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))


def any_matches(
    patterns: Iterable[str], names: Iterable[str | None], *, case_sensitive: bool
) -> bool:
    """Tell whether at least one name matches at least one pattern; names that are None do not."""
    folded_patterns = [fold(pattern, case_sensitive=case_sensitive) for pattern in patterns]
    folded_names = [
        fold(name, case_sensitive=case_sensitive) for name in names if name is not None
    ]
    return any(matches(pattern, name) for name in folded_names for pattern in folded_patterns)
