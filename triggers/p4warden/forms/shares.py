"""A view -> how many of a depot's top directories it names whole, one by one."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.facts import FoldedNames
    from p4warden.forms.depot_path import Scope


class Share(NamedTuple):
    """The part of a depot that a view names; all names folded.

    Attributes:
        depot: the depot's name.
        tops: all its top directories.
        named: those that the view's lines name whole.
        most: how many of them it may name.
    """

    depot: str
    tops: frozenset[str]
    named: frozenset[str]
    most: int


class Shares:
    """The shares of one view; a depot's share is made when it is asked for.

    Args:
        spans: what the view's lines span.
        names: the depots and their top directories.
        limit: the part of a depot's top directories that is too much, 0 to 1.
        min_directories: how many top directories a depot must have for its share to count.
    """

    def __init__(
        self, spans: Iterable[Scope], names: FoldedNames, limit: float, min_directories: int
    ) -> None:
        self._names, self._limit, self._min_directories = names, limit, min_directories
        self._named = _named(spans, names)

    def of(self, depot: str) -> Share | None:
        """Return a depot's share, by its folded name; None where its share does not count."""
        tops = self._names.directories(depot) or frozenset()
        if len(tops) < self._min_directories:
            return None
        # The least whole number that is not below the limit, less one.
        most = -int(-self._limit * len(tops) // 1) - 1
        return Share(depot, tops, tops & self._named.get(depot, set()), most)

    def too_large(self, depots: Iterable[str]) -> Iterator[Share]:
        """Yield the shares of the depots that are too large, with the depots' own names."""
        for name in depots:
            key = self._names.folded(name)
            share = self.of(key) if key in self._named else None
            if share and len(share.named) > share.most:
                yield share._replace(depot=name)


def _named(spans: Iterable[Scope], names: FoldedNames) -> dict[str, set[str]]:
    """Return the top directories that lines map whole, by depot."""
    tops: dict[str, set[str]] = {}
    for span in spans:
        if not span.exact and len(span.directories) == 1:
            directory = names.folded(span.directories[0])
            tops.setdefault(names.folded(span.depot), set()).add(directory)
    return tops
