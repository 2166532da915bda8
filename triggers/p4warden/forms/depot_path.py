"""Parse view lines into words and depot paths, and measure the cost of each path.

The cost of a view line to p4d is lexical: p4d probes its tables with the literal text before the
first wildcard (map/*.cc of Perforce's C++ API; the strings of some 250 real and crafted views were
compared with this count). So a path is measured by its complete literal directories before the
first wildcard. Exclusions, overlays and shadowing do not change the cost.

P4Python's own `P4.Map` is not used: it crashes and hangs on text that a user may write.
"""

from __future__ import annotations

import re

from p4warden.core.light_typing import NamedTuple

FLAGS = "-+&"
WILDCARD = re.compile(r"\.\.\.|\*|%%[0-9]")
# SpecWords::Split separates words at ASCII blanks only: a no-break space is part of a name.
BLANKS = " \t\n\v\f\r"
_BLANKS = re.compile(f"[{BLANKS}]+")
# Compile patterns that few lines need at first use: each costs a trigger about 50 us.
_WORD = f'"([^"]*)"?|([^{BLANKS}]+)'
# p4d's own limits (Validate in map/*.cc of Perforce's C++ API; configurable map.maxwild).
MAX_DOTS = 3
MAX_WILDCARDS = 10
_SIDE_BY_SIDE = r"(?:\.\.\.|\*|%%[0-9]){2}"
_NO_NAMES = frozenset({"", ".", ".."})
_CONTROL = r"[\x00-\x1f\x7f]"


class Scope(NamedTuple):
    """The part of the server that a depot path spans.

    Attributes:
        depot: the depot's name.
        directories: the complete literal directories below the depot, before the first wildcard.
        exact: whether the path has no wildcard and so names one file.
    """

    depot: str
    directories: tuple[str, ...]
    exact: bool


class MalformedPath(ValueError):  # noqa: N818 - it is a finding, not an error of ours
    """A path that p4d would refuse or that has no meaning; the text gives the reason."""


class WildcardDepot(MalformedPath):
    """A path with a wildcard in its depot's name, which spans every matching depot."""


def split_words(value: str) -> tuple[str, ...]:
    """Split a list value into words as the server does (SpecWords::Split, support/specdata.cc).

    A quote counts at the start of a word only, the next quote ends the word, and a word may follow
    it without a blank. There are no escapes.
    """
    if '"' not in value:
        return tuple(_BLANKS.split(value.strip(BLANKS)))
    return tuple(match[2] if match[1] is None else match[1] for match in re.finditer(_WORD, value))


def view_line(words: tuple[str, ...]) -> str | None:
    """Write paths as a view line, or return None if the server would read the line differently.

    Names come from people: a path that is not printable ASCII is not proposed to anyone.
    """
    line = " ".join(f'"{word}"' if " " in word or "#" in word else word for word in words)
    try:
        for path in (split_flag(word)[1] for word in words):
            # A stream's line has words that are not depot paths.
            scope(path if path.startswith("//") else f"//{path}")
    except MalformedPath:
        return None
    whole = (*split_words(line),) == words and line.isascii() and line.isprintable()
    return line if whole else None


def split_flag(word: str) -> tuple[str, str]:
    """Split the left side of a mapping into its flag (`-`, `+`, `&` or nothing) and its path."""
    return (word[0], word[1:]) if word[:1] and word[0] in FLAGS else ("", word)


def scope(path: str) -> Scope:
    """Measure the depot and directories that a depot path (without its flag) spans.

    Raises:
        WildcardDepot: the first wildcard is in the depot's name.
        MalformedPath: the path does not start with //, has an empty or relative directory, holds a
            control character, or has more wildcards than p4d accepts.
    """
    wildcard = WILDCARD.search(path)
    literal = path[: wildcard.start()] if wildcard else path
    if not path.startswith("//"):
        raise MalformedPath("does not start with //")
    depot, slash, below = literal[2:].partition("/")
    if wildcard and not slash:
        raise WildcardDepot("spans every depot that its wildcard matches")
    directories = tuple(below.split("/")[:-1])
    if depot in _NO_NAMES or not _NO_NAMES.isdisjoint(directories):
        raise MalformedPath("has an empty or relative directory")
    if not path.isprintable() and re.search(_CONTROL, path):
        raise MalformedPath("holds a control character")
    if wildcard and wildcard.end() < len(path):
        _check_wildcards(path)
    return Scope(depot, directories, exact=wildcard is None)


def is_wild_within(path: str) -> bool:
    """Tell whether a path has a wildcard before its last character."""
    wildcard = WILDCARD.search(path)
    return wildcard is not None and wildcard.end() < len(path)


def is_embedded(path: str) -> bool:
    """Tell whether a path has `...` anywhere but at its end."""
    return "..." in path.removesuffix("...")


def _check_wildcards(path: str) -> None:
    found = WILDCARD.findall(path)
    if found.count("...") > MAX_DOTS or len(found) > MAX_WILDCARDS:
        raise MalformedPath(f"has over {MAX_DOTS} ... or over {MAX_WILDCARDS} wildcards")
    if re.search(_SIDE_BY_SIDE, path):
        raise MalformedPath("has two wildcards side by side")
