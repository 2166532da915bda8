"""What a view has room for: how many more lines it may have, and what other lines have already.

A line that is proposed takes the place of the one that is refused; every further one needs room
of its own, so that whoever writes them all is not refused for the view as a whole.
"""

from collections.abc import Iterable

from p4warden.core.facts import folded
from p4warden.core.records import MAX_FINDINGS, Facts
from p4warden.forms.depot_path import WILDCARD, is_embedded, scope
from p4warden.forms.shares import Share

MAX_NAMES = 10_000
"""After so many names no further lines are made: few are told, and there can be a thousand lines
to refuse on a server with thousands of directories."""


class Room:
    """What is left of it; each line that is taken takes some.

    What no one says is unlimited.

    Args:
        facts: for the names.
        lines: how many more include lines the view may have, below 0 if it has too many; a line of
            a branch counts twice, as it does in the rule.
        embedded: how many more paths with `...` within.
        shares: what the view names of each depot whose share counts.
        included: paths of other lines.
        excluded: the number of the line and the path of those that exclude.
    """

    def __init__(
        self,
        facts: Facts,
        lines: int | None = None,
        embedded: int | None = None,
        shares: Iterable[Share] = (),
        included: Iterable[str] = (),
        excluded: Iterable[tuple[int, str]] = (),
    ) -> None:
        self._facts, self._lines, self._embedded = facts, lines, embedded
        self._shares = {folded(share.depot, facts): share for share in shares}
        self._included = {*filter(None, map(self._whole, included))}
        # In form order: the last line that excludes a directory is the one that counts.
        self._excluded = {self._whole(path): number for number, path in excluded}
        # Nobody reads the lines for more findings than are told.
        self._begun = self._taken = self._looked_at = 0

    def begins(self) -> bool:
        """Note that lines are asked for; tell whether there is room for any."""
        self._begun += 1
        is_enough = max(self._begun - 1, self._taken) >= MAX_FINDINGS
        return not is_enough and self._looked_at < MAX_NAMES

    def looked_at(self, names: int) -> None:
        """Note how many names of depots and directories were looked at for a line."""
        self._looked_at += names

    def has_too_much_embedded(self, path: str) -> bool:
        """Tell whether a path has to be replaced by one without `...` within."""
        if self._embedded is None or self._embedded >= 0 or not is_embedded(path):
            return False
        self._embedded += 1
        return True

    def has(self, path: str, number: int) -> bool:
        """Tell whether another line maps all of a path, or one behind that line excludes it."""
        if not self._included and not self._excluded:
            return False
        literal = folded(WILDCARD.split(path, 1)[0], self._facts)
        slash = literal.find("/", 2)
        while slash >= 0:
            start = literal[: slash + 1]
            if start in self._included or self._excluded.get(start, 0) > number:
                return True
            slash = literal.find("/", slash + 1)
        return False

    def takes(self, paths: tuple[str, ...], *, is_first: bool) -> bool:
        """Take a line, by its depot paths; False where there is no room for it.

        The first for a line that is refused takes that line's place.
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
        self._taken += 1
        return True

    def _take_tops(self, paths: tuple[str, ...]) -> bool:
        named = self._named(paths).items()
        wanted = {
            depot: self._shares[depot]._replace(named=self._shares[depot].named | names)
            for depot, names in named
            if depot in self._shares
        }
        if any(len(share.named) > share.most for share in wanted.values()):
            return False
        self._shares |= wanted
        return True

    def _named(self, paths: tuple[str, ...]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for span in map(scope, paths):
            if len(span.directories) == 1 and not span.exact:
                depot, top = (folded(n, self._facts) for n in (span.depot, span.directories[0]))
                found.setdefault(depot, set()).add(top)
        return found

    def _whole(self, path: str) -> str:
        """Return the directory that a path maps whole, with its slash; else nothing."""
        start = path.removesuffix("...")
        is_whole = start != path and start.endswith("/") and not WILDCARD.search(start)
        return folded(start, self._facts) if is_whole else ""


def _is_enough(room: int | None, wanted: int) -> bool:
    return room is None or room >= wanted
