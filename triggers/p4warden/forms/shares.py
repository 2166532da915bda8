"""Compute the share of a depot's top directories (directly below it) that a view names."""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.facts import FoldedNames
    from p4warden.forms.depot_path import Span


class Share(NamedTuple):
    """The top directories of a depot, and those of them that a view names one by one.

    Names of directories are in lower case if the server ignores case.

    Attributes:
        depot: the depot's name.
        tops: all top directories of the depot.
        named_directories: the top directories with a view line whose first wildcard is directly
            below them.
        max_directories: the largest allowed number of named directories.
    """

    depot: str
    tops: frozenset[str]
    named_directories: frozenset[str]
    max_directories: int


class Shares:
    """For each depot, the share of its top directories that a view names one by one.

    Args:
        spans: the depots and directories that the view's lines span.
        names: the depots and their top directories.
        limit: the smallest share of a depot's top directories that is too large, 0 to 1.
        min_directories: a depot's share counts only if the depot has at least this many top
            directories.
    """

    def __init__(
        self, spans: Iterable[Span], names: FoldedNames, limit: float, min_directories: int
    ) -> None:
        self._names, self._limit, self._min_directories = names, limit, min_directories
        self._named_directories = _directories_by_depot(spans, names)

    def of(self, depot: str) -> Share | None:
        """Return a depot's top directories with those that the view names.

        None if the depot has too few top directories. `depot` is in lower case if the server
        ignores case.
        """
        tops = self._names.directories(depot) or frozenset()
        if len(tops) < self._min_directories:
            return None
        # The largest allowed number is one below the smallest number whose share reaches the
        # limit.
        most = -int(-self._limit * len(tops) // 1) - 1
        return Share(depot, tops, tops & self._named_directories.get(depot, set()), most)

    def too_large(self, depots: Iterable[str]) -> Iterator[Share]:
        """Yield the given depots' shares that are too large, with the depots' names as given."""
        for name in depots:
            key = self._names.folded(name)
            share = self.of(key) if key in self._named_directories else None
            if share and len(share.named_directories) > share.max_directories:
                yield share._replace(depot=name)


def _directories_by_depot(spans: Iterable[Span], names: FoldedNames) -> dict[str, set[str]]:
    """Return by depot the top directories directly below which a line has its first wildcard."""
    tops: dict[str, set[str]] = {}
    for span in spans:
        if not span.is_exact and len(span.directories) == 1:
            directory = names.counted(span.directories[0])
            tops.setdefault(names.folded(span.depot), set()).add(directory)
    return tops
