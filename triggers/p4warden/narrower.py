"""Lines to write instead of one that maps too much.

Every proposed line is accepted by the rule that asks for it, once the words in capitals are
replaced. Directories come from the facts; where they are not known, a word in capitals stands for
one that the developer knows.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from p4warden.facts import depot_named
from p4warden.mappings import Mapped
from p4warden.records import Depot, Facts
from p4warden.views import WILDCARD, MalformedPath, Scope, scope, split_words, view_line

MAX_PROPOSALS = 6
PLACEHOLDER = "DIRECTORY"
UNKNOWN_DEPOT = "DEPOT"
# Depots whose files people map into clients; p4 help depot lists the types.
_MAPPED_TYPES = ("local", "stream", "remote", "graph")


class Mapping(NamedTuple):
    """A line that maps too much, cut into its parts.

    Attributes:
        flag: `+`, `&` or nothing.
        left: the depot path.
        right: what the depot path is mapped to, or None where that stays or there is none.
        depot: the depot's name, or None where a wildcard stands in its place.
        directories: the complete literal directories before the first wildcard.
        lead: words of the line that stand before the paths and stay as they are.
        depot_path_last: whether the depot path stands behind what it is mapped to.
    """

    flag: str
    left: str
    right: str | None
    depot: str | None
    directories: tuple[str, ...]
    lead: tuple[str, ...] = ()
    depot_path_last: bool = False


def mapping_of(mapped: Mapped, span: Scope | None) -> Mapping:
    """Cut a line into its parts; without a span a wildcard stands in its depot's name."""
    depot, directories = (span.depot, span.directories) if span else (None, ())
    parts = Mapping(mapped.flag, mapped.path, mapped.right, depot, directories)
    if mapped.field == "Paths":
        kind = split_words(mapped.line.text)[0]
        return parts._replace(right=mapped.beside, lead=(kind,), depot_path_last=True)
    if mapped.side == "right":
        return parts._replace(lead=(mapped.beside or "",))
    return parts._replace(right=mapped.beside) if mapped.side == "left" else parts


def propose(
    mapping: Mapping, need_of: Callable[[str], int], facts: Facts, client: str | None
) -> tuple[str, ...]:
    """Return at most `MAX_PROPOSALS` lines, each deep enough for its depot.

    Args:
        mapping: the line to replace.
        need_of: from a depot's name to the complete directories that a line of it must name.
        facts: what is known of the server's depots.
        client: the client's name, for the right side where it cannot be derived; None in a form
            that is no client, where nothing is proposed then.
    """
    base = _base(mapping, client)
    if base is None or not all(_is_deep(word, need_of) for word in mapping.lead):
        return ()
    proposed = (
        view_line((*mapping.lead, *_words(mapping, depot, directories, base)))
        for depot, directories in _targets(mapping, need_of, facts)
    )
    return tuple(islice(filter(None, proposed), MAX_PROPOSALS))


def _is_deep(word: str, need_of: Callable[[str], int]) -> bool:
    """Tell whether a word that stays is no depot path, or one that names enough directories."""
    try:
        span = scope(word)
    except MalformedPath:
        return not word.startswith("//")
    return span.exact or len(span.directories) >= need_of(span.depot)


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


def _base(mapping: Mapping, client: str | None) -> str | None:
    """Return the path that the mapping's directories are mapped to, without a last slash.

    It is the line's own right side where both sides end in `/...` and have no other wildcard.
    """
    if mapping.right is None:
        return ""
    sides = (mapping.left, mapping.right)
    if all(s.endswith("/...") and not WILDCARD.search(s[: -len("/...")]) for s in sides):
        return mapping.right[: -len("/...")]
    return "/".join((f"//{client}", *mapping.directories)) if client else None


def _words(
    mapping: Mapping, depot: str, directories: tuple[str, ...], base: str
) -> tuple[str, ...]:
    left = "/".join((f"{mapping.flag}//{depot}", *directories, "..."))
    if mapping.right is None:
        return (left,)
    new = directories[len(mapping.directories) :] if mapping.depot else (depot, *directories)
    right = "/".join((base, *new, "..."))
    return (right, left) if mapping.depot_path_last else (left, right)
