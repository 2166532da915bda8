"""The limits on the lines proposed for a view: room left, and paths that other lines already map.

The first line proposed for a refused one replaces it, and every further line uses some of the
view's limits, so that a view with all proposed lines is not refused as a whole.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import MAX_FINDINGS
from p4warden.forms.depot_path import first_wildcard, is_embedded, path_span
from p4warden.forms.leading_paths import literal_start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden.core.facts import FoldedNames
    from p4warden.forms.shares import Share


class RemainingLimits:
    """The unused part of a view's limits; each proposed view line uses some of it.

    A limit of None is no limit.

    Args:
        names: the names in the facts about the server, compared as the server compares them.
        lines: how many more include lines the view may have, below 0 if it has too many; a line of
            a branch counts twice, as in the rule.
        embedded: how many more paths with `...` before their end are allowed.
        share_of: maps a depot's folded name to the share of its top directories that the view
            names; None if shares are not limited.
        included_paths: the paths of the view's include lines that are not refused.
        excluded_paths: the line number and path of each exclusion line.
    """

    def __init__(
        self,
        names: FoldedNames,
        lines: int | None = None,
        embedded: int | None = None,
        share_of: Callable[[str], Share | None] | None = None,
        included_paths: Iterable[str] = (),
        excluded_paths: Iterable[tuple[int, str]] = (),
    ) -> None:
        self._names, self._lines, self._embedded = names, lines, embedded
        self._share_of = share_of
        self._shares: dict[str, Share | None] = {}
        self._included_paths = {*filter(None, map(self._whole_directory, included_paths))}
        # For a directory excluded twice in a view, the last line's number is kept, because later
        # view lines take precedence.
        self._excluded_paths = {
            self._whole_directory(path): number for number, path in excluded_paths
        }
        # Numbers of refused lines and of proposed lines. Only the first refused lines get
        # proposals, because a refusal displays no more of them.
        self._requests = self._reserved = 0

    def begins(self) -> bool:
        """Count a refused view line; tell whether to propose lines in its place.

        False after `MAX_FINDINGS` refused lines or proposed lines: a refusal displays no more.
        """
        self._requests += 1
        return max(self._requests - 1, self._reserved) < MAX_FINDINGS

    def has_too_much_embedded(self, path: str) -> bool:
        """Tell whether a view line must be proposed without `...` before the end of its path.

        It must while the view has more lines with such `...` than `max_embedded` allows. Each line
        for which the result is true counts as repaired.
        """
        if self._embedded is None or self._embedded >= 0 or not is_embedded(path):
            return False
        self._embedded += 1
        return True

    def has(self, path: str, number: int) -> bool:
        """Tell whether another view line certainly maps all of a path, or a later one excludes it.

        Only lines that end in `/...` and have no other wildcard are compared; False otherwise.
        """
        if not self._included_paths and not self._excluded_paths:
            return False
        literal = self._names.folded(literal_start(path))
        slash = literal.find("/", 2)
        while slash >= 0:
            start = literal[: slash + 1]
            if start in self._included_paths or self._excluded_paths.get(start, 0) > number:
                return True
            slash = literal.find("/", slash + 1)
        return False

    def reserve(self, paths: tuple[str, ...], *, is_first: bool) -> bool:
        """Use up the part of a view's limits that a proposed line needs, given by its paths.

        The first line proposed for a refused line takes its place and does not add to the numbers
        of lines and of paths with `...` before their end.

        Returns:
            Whether the limits suffice; if not, nothing is used up.
        """
        embedded = sum(map(is_embedded, paths))
        if not is_first and not (
            _is_enough(self._lines, len(paths)) and _is_enough(self._embedded, embedded)
        ):
            return False
        if not self._take_tops(paths):
            return False
        if not is_first:
            self._lines = None if self._lines is None else self._lines - len(paths)
            self._embedded = None if self._embedded is None else self._embedded - embedded
        self._reserved += 1
        return True

    def _take_tops(self, paths: tuple[str, ...]) -> bool:
        if self._share_of is None:
            return True
        needed_shares = {
            depot: share._replace(named_directories=share.named_directories | names)
            for depot, names in self._top_directories(paths).items()
            if (share := self._share(depot))
        }
        if any(
            len(share.named_directories) > share.max_directories
            for share in needed_shares.values()
        ):
            return False
        self._shares |= needed_shares
        return True

    def _share(self, depot: str) -> Share | None:
        if depot not in self._shares and self._share_of:
            self._shares[depot] = self._share_of(depot)
        return self._shares.get(depot)

    def _top_directories(self, paths: tuple[str, ...]) -> dict[str, set[str]]:
        by_depot: dict[str, set[str]] = {}
        for span in map(path_span, paths):
            if len(span.directories) == 1 and not span.is_exact:
                depot, top = (self._names.folded(n) for n in (span.depot, span.directories[0]))
                by_depot.setdefault(depot, set()).add(top)
        return by_depot

    def _whole_directory(self, path: str) -> str:
        """Return the directory that a depot path maps completely, with a slash at its end.

        Empty for a path that maps no directory completely.
        """
        start = path.removesuffix("...")
        is_whole = start != path and start.endswith("/") and not first_wildcard(start)
        return self._names.folded(start) if is_whole else ""


def _is_enough(room: int | None, needed_room: int) -> bool:
    return room is None or room >= needed_room
