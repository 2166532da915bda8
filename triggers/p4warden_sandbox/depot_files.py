"""The files in the depots: every revision of each file, and the files of running submits."""

from __future__ import annotations

import threading
from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING

from p4warden_sandbox.depot_paths import WILDCARD, pattern
from p4warden_sandbox.revisions import At, Revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The greatest character, which sorts after any in a depot path.
_LAST = "\U0010ffff"


class DepotFiles:
    """The files of all depots, in the order of their paths.

    The tables are replaced as wholes, so readers need no lock. `fold` makes names comparable.
    """

    def __init__(self, fold: Callable[[str], str], *, case_sensitive: bool) -> None:
        self._fold = fold
        self._case_sensitive = case_sensitive
        self._histories: dict[str, tuple[Revision, ...]] = {}
        self._by_change: dict[int, tuple[Revision, ...]] = {}
        self._order: list[str] = []
        self._under_way: dict[int, tuple[Revision, ...]] = {}
        self._lock = threading.Lock()
        self._here = threading.local()

    def rows_read(self) -> int:
        """Return the number of revisions that this thread has read since the previous call."""
        rows: int = getattr(self._here, "rows", 0)
        self._here.rows = 0
        return rows

    def add(self, revisions: Iterable[Revision]) -> None:
        """Add all these revisions at once, each as the newest of its file."""
        with self._lock:
            self._add(revisions)

    def append(self, revision: Revision) -> None:
        """Add a revision under the next number of its file."""
        with self._lock:
            number = len(self.history(revision.file)) + 1
            action = "edit" if number > 1 else "add"
            self._add([revision._replace(number=number, action=action)])

    def history(self, file: str) -> tuple[Revision, ...]:
        """Return a file's revisions, oldest first; none for a file that does not exist."""
        return self._histories.get(self._fold(file), ())

    def head(self, file: str) -> Revision | None:
        """Return a file's newest revision, None if the file does not exist or is deleted."""
        history = self.history(file)
        return history[-1] if history and not history[-1].is_deleted else None

    def files(self, path: str, at: At | None = None) -> Iterator[Revision]:
        """Yield the revisions that a path with wildcards selects, deleted ones too.

        `@=N` also selects the files that a running submit is about to add.
        """
        at = at or At()
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        under_way = self._under_way.get(at.number) if at.kind == "@=" else None
        if under_way is not None:
            yield from (revision for revision in under_way if matches(revision.file))
            return
        histories = self._histories
        for name in self._candidates(path, at):
            history = histories.get(name, ())
            self._here.rows = getattr(self._here, "rows", 0) + len(history)
            if history and matches(history[-1].file) and (selected := at.pick(history)):
                yield selected

    def of_change(self, change: int) -> tuple[Revision, ...]:
        """Return the file revisions that a submitted changelist added to the depots."""
        return self._by_change.get(change, ())

    def changes_of(self, matches: Callable[[str], bool], most: int | None = None) -> set[int]:
        """Return the newest changelists that added a revision of one of these files."""
        numbers: set[int] = set()
        for change in sorted(self._by_change, reverse=True):
            if most is not None and len(numbers) >= most:
                break
            if any(map(matches, self._files_of(change))):
                numbers.add(change)
        return numbers

    def _files_of(self, change: int) -> Iterator[str]:
        for revision in self._by_change.get(change, ()):
            self._here.rows = getattr(self._here, "rows", 0) + 1
            yield revision.file

    def directories(self, path: str, *, with_deleted: bool = False) -> list[str]:
        """Return the directories that a path with `*` selects, if any file is below them."""
        depth = path.count("/")
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        above = {
            "/".join(head.file.split("/")[: depth + 1])
            for head in self.files(f"{WILDCARD.split(path, 1)[0]}...")
            if head.file.count("/") > depth and (with_deleted or not head.is_deleted)
        }
        return sorted(directory for directory in above if matches(directory))

    def begin(self, change: int) -> bool:
        """Record that a submit of a changelist has begun; return False if it had begun before."""
        with self._lock:
            is_new = change not in self._under_way
            self._under_way = {change: (), **self._under_way}
        return is_new

    def show(self, change: int, revisions: Iterable[Revision]) -> None:
        """Make the new files of a running submit visible, but only as `@=change`."""
        with self._lock:
            self._under_way = {**self._under_way, change: tuple(revisions)}

    def end(self, change: int) -> None:
        """Record that a submit has ended, successfully or not."""
        with self._lock:
            self._under_way = {n: r for n, r in self._under_way.items() if n != change}

    def _add(self, revisions: Iterable[Revision]) -> None:
        histories, by_change = dict(self._histories), dict(self._by_change)
        for change, added in groupby(revisions, key=lambda revision: revision.change):
            for revision in (new := tuple(added)):
                name = self._fold(revision.file)
                histories[name] = (*histories.get(name, ()), revision)
            by_change[change] = (*by_change.get(change, ()), *new)
        if len(histories) > len(self._order):
            self._order = sorted(histories)
        self._histories, self._by_change = histories, by_change

    def _candidates(self, path: str, at: At) -> list[str]:
        """Return the file names to examine: those of a few changelists, else all below a path.

        (A real server does the same: configurables dm.revcx.thresh1 and thresh2, p4 help undoc.)
        """
        changes = at.changes
        if changes is None:
            return self._below(self._fold(WILDCARD.split(path, 1)[0]))
        revisions = (
            revision for change in changes for revision in self._by_change.get(change, ())
        )
        return sorted({self._fold(revision.file) for revision in revisions})

    def _below(self, prefix: str) -> list[str]:
        """Return the file names that start with a text."""
        order = self._order
        return order[bisect_left(order, prefix) : bisect_left(order, prefix + _LAST)]
