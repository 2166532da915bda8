"""Lines to write instead of one that maps too much.

Every proposed line is accepted by the rule that asks for it, once the words in capitals are
replaced. Directories come from the facts; where they are not known, a word in capitals stands for
one that the developer knows.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from p4warden.facts import depot_named
from p4warden.views import WILDCARD, view_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from p4warden.records import Depot, Facts

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
    proposed = (
        view_line(_words(mapping, depot, directories, base))
        for depot, directories in _targets(mapping, need_of, facts)
    )
    return tuple(islice(filter(None, proposed), MAX_PROPOSALS))


def _targets(
    mapping: Mapping, need_of: Callable[[str], int], facts: Facts
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (depot, directories) pairs to map instead, in the order to propose them."""
    if mapping.depot:
        depots = [(mapping.depot, depot_named(facts, mapping.depot))]
    else:
        known = [(n, d) for n, d in sorted(facts.depots.items()) if d.type in _MAPPED_TYPES]
        depots = [*known] or [(UNKNOWN_DEPOT, None)]
    for name, depot in depots:
        need = need_of(name)
        written = mapping.directories or need == 0
        starts = [mapping.directories] if written else _top_directories(depot)
        for directories in starts:
            yield name, directories + (PLACEHOLDER,) * (need - len(directories))


def _top_directories(depot: Depot | None) -> Iterator[tuple[str, ...]]:
    """Yield the depot's directories that can be shown to everyone; a placeholder if none."""
    names = depot.directories if depot else None
    shown = (n for n in names or () if n.isascii() and n.isprintable() and '"' not in n)
    first = next(shown, PLACEHOLDER)
    yield (first,)
    yield from ((name,) for name in shown)


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
