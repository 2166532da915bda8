"""A view -> how many of a depot's top directories it names whole, one by one."""

from __future__ import annotations

import math

from p4warden.core.facts import folded
from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.records import Facts
    from p4warden.forms.depot_path import Scope


class Share(NamedTuple):
    """What a view names of a depot; all names folded.

    Attributes:
        depot: the depot's name as the facts have it.
        tops: all its top directories.
        named: those that the view's lines name whole.
        most: how many of them it may name.
    """

    depot: str
    tops: set[str]
    named: set[str]
    most: int


def shares(
    spans: Iterable[Scope], facts: Facts, limit: float, min_directories: int
) -> Iterator[Share]:
    """Yield the shares of all depots that have so many top directories.

    Args:
        spans: what the view's lines span.
        facts: the depots.
        limit: the part of a depot's top directories that is too much, 0 to 1.
        min_directories: how many top directories a depot must have for its share to count.
    """
    named = _named(spans, facts)
    for name, depot in facts.depots.items():
        tops = {folded(directory, facts) for directory in depot.directories or ()}
        if len(tops) >= min_directories:
            most = math.ceil(limit * len(tops)) - 1
            yield Share(name, tops, tops & named.get(folded(name, facts), set()), most)


def _named(spans: Iterable[Scope], facts: Facts) -> dict[str, set[str]]:
    """Return the top directories that lines map whole, by depot."""
    tops: dict[str, set[str]] = {}
    for span in spans:
        if not span.exact and len(span.directories) == 1:
            directory = folded(span.directories[0], facts)
            tops.setdefault(folded(span.depot, facts), set()).add(directory)
    return tops
