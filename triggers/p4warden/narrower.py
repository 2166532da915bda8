"""Lines to write instead of one that maps too much.

Every proposed line is accepted by the rule that asks for it, once the words in capitals are
replaced. Directories come from the facts; where they are not known, a word in capitals stands for
one that the developer knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.facts import depot_named
from p4warden.views import WILDCARD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from p4warden.records import Facts

MAX_PROPOSALS = 6
PLACEHOLDER = "DIRECTORY"
UNKNOWN_DEPOT = "DEPOT"
# Depots whose files people map into clients; p4 help depot lists the types.
_MAPPED_TYPES = ("local", "stream", "remote", "graph")


class Mapping(NamedTuple):
    """A client view line that maps too much, cut into its parts.

    Attributes:
        flag: `+`, `&` or nothing.
        left: the depot path.
        right: the client path, or None for a line of a one-sided view.
        depot: the depot's name, or None where a wildcard stands in its place.
        directories: the complete literal directories before the first wildcard.
    """

    flag: str
    left: str
    right: str | None
    depot: str | None
    directories: tuple[str, ...]


def propose(
    mapping: Mapping, need_of: Callable[[str], int], facts: Facts, client: str
) -> tuple[str, ...]:
    """Return at most `MAX_PROPOSALS` lines, each deep enough for its depot.

    Args:
        mapping: the line to replace.
        need_of: from a depot's name to the complete directories that a line of it must name.
        facts: what is known of the server's depots.
        client: the client's name, for the right side where it cannot be derived.
    """
    base = _client_base(mapping, client)
    return tuple(
        " ".join(_quoted(word) for word in _words(mapping, depot, directories, base))
        for depot, directories in _targets(mapping, need_of, facts)[:MAX_PROPOSALS]
    )


def _targets(
    mapping: Mapping, need_of: Callable[[str], int], facts: Facts
) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Return (depot, directories) pairs to map instead, in the order to propose them."""
    depots = [mapping.depot] if mapping.depot else _mapped_depots(facts)
    return [
        (depot, directories + (PLACEHOLDER,) * (need_of(depot) - len(directories)))
        for depot in depots
        for directories in _starts(mapping, depot, need_of(depot), facts)
    ]


def _starts(mapping: Mapping, depot: str, need: int, facts: Facts) -> Sequence[tuple[str, ...]]:
    """Return the directories to begin with: those written already, else the depot's own."""
    if mapping.directories or need == 0:
        return [mapping.directories]
    return [(name,) for name in _top_directories(depot, facts)]


def _mapped_depots(facts: Facts) -> Sequence[str]:
    names = [name for name, depot in sorted(facts.depots.items()) if depot.type in _MAPPED_TYPES]
    return names or [UNKNOWN_DEPOT]


def _top_directories(depot: str, facts: Facts) -> Sequence[str]:
    """Return the depot's directories that can be shown to everyone; a placeholder if none."""
    known = depot_named(facts, depot)
    names = known.directories if known else None
    return [n for n in names or () if n.isascii() and n.isprintable() and '"' not in n] or [
        PLACEHOLDER
    ]


def _client_base(mapping: Mapping, client: str) -> str:
    """Return the client path that stands for the mapping's directories, without a last slash.

    It is the line's own right side where both sides end in `/...` and have no other wildcard.
    """
    sides = (mapping.left, mapping.right or "")
    if all(s.endswith("/...") and not WILDCARD.search(s[: -len("/...")]) for s in sides):
        return sides[1][: -len("/...")]
    return "/".join((f"//{client}", *mapping.directories))


def _words(
    mapping: Mapping, depot: str, directories: tuple[str, ...], base: str
) -> tuple[str, ...]:
    left = "/".join((f"{mapping.flag}//{depot}", *directories, "..."))
    if mapping.right is None:
        return (left,)
    new = directories[len(mapping.directories) :] if mapping.depot else (depot, *directories)
    return (left, "/".join((base, *new, "...")))


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word or "#" in word else word
