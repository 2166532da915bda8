from __future__ import annotations

import threading
from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING

from p4warden_sandbox.depot_paths import WILDCARD, pattern
from p4warden_sandbox.revisions import Revision, RevisionSuffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# Sorts after every other character.
_LAST = "\U0010ffff"


class DepotFiles:
    """Changes replace whole tables, so readers need no lock; `fold` makes paths comparable."""

    def __init__(self, fold: Callable[[str], str], *, case_sensitive: bool) -> None:
        self._fold = fold
        self._case_sensitive = case_sensitive
        self._histories: dict[str, tuple[Revision, ...]] = {}
        self._by_change: dict[int, tuple[Revision, ...]] = {}
        self._order: list[str] = []
        self._shelves: dict[int, tuple[Revision, ...]] = {}
        self._unfinished_submits: dict[int, tuple[Revision, ...]] = {}
        self._lock = threading.Lock()
        self._thread_state = threading.local()

    def rows_read(self) -> int:
        """Return how many revisions this thread's searches read since it last called this."""
        rows: int = getattr(self._thread_state, "rows", 0)
        self._thread_state.rows = 0
        return rows

    def add(self, revisions: Iterable[Revision]) -> None:
        with self._lock:
            self._add(revisions)

    def append(self, revision: Revision) -> None:
        with self._lock:
            number = len(self.history(revision.file)) + 1
            action = "edit" if number > 1 else "add"
            self._add([revision._replace(number=number, action=action)])

    def remove(self, files: Iterable[str]) -> None:
        """Forget files with all revisions."""
        with self._lock:
            names = {self._fold(file) for file in files}
            self._histories = {n: h for n, h in self._histories.items() if n not in names}
            self._by_change = {
                change: kept
                for change, revisions in self._by_change.items()
                if (kept := tuple(r for r in revisions if self._fold(r.file) not in names))
            }
            self._order = sorted(self._histories)

    def history(self, file: str) -> tuple[Revision, ...]:
        return self._histories.get(self._fold(file), ())

    def head(self, file: str) -> Revision | None:
        history = self.history(file)
        return history[-1] if history and not history[-1].is_deleted else None

    def files(self, path: str, at: RevisionSuffix | None = None) -> Iterator[Revision]:
        """Yield one revision of each file that matches: the one that `at` selects, or the newest.

        A revision may be a deletion. For a changelist with a shelf, `@=CHANGE` selects the shelved
        files (p4 help revisions), and while its submit or shelve runs those that `show` made
        visible.
        """
        at = at or RevisionSuffix()
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        pending = self._pending(at.number) if at.kind == "@=" else None
        if pending is not None:
            yield from (revision for revision in pending if matches(revision.file))
            return
        histories = self._histories
        for name in self._candidates(path, at):
            history = histories.get(name, ())
            self._thread_state.rows = getattr(self._thread_state, "rows", 0) + len(history)
            if history and matches(history[-1].file) and (selected := at.pick(history)):
                yield selected

    def _pending(self, change: int) -> tuple[Revision, ...] | None:
        return self._unfinished_submits.get(change, self._shelves.get(change))

    def shelf(self, change: int) -> tuple[Revision, ...]:
        return self._shelves.get(change, ())

    def put_shelf(self, change: int, revisions: Iterable[Revision]) -> None:
        """Replace a changelist's shelved files; without any it has no shelf."""
        with self._lock:
            shelves = {**self._shelves, change: tuple(revisions)}
            self._shelves = {number: shelf for number, shelf in shelves.items() if shelf}

    def of_change(self, change: int) -> tuple[Revision, ...]:
        return self._by_change.get(change, ())

    def changes_of(self, matches: Callable[[str], bool], most: int | None) -> set[int]:
        """With `most`, only that many highest numbers; 0 stands for a spec depot's revisions."""
        numbers: set[int] = set()
        for change in sorted(self._by_change, reverse=True):
            if most is not None and len(numbers) >= most:
                break
            if any(map(matches, self._files_of(change))):
                numbers.add(change)
        return numbers

    def _files_of(self, change: int) -> Iterator[str]:
        for revision in self._by_change.get(change, ()):
            self._thread_state.rows = getattr(self._thread_state, "rows", 0) + 1
            yield revision.file

    def directories(self, path: str, *, with_deleted: bool = False) -> list[str]:
        depth = path.count("/")
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        above = {
            "/".join(head.file.split("/")[: depth + 1])
            for head in self.files(f"{WILDCARD.split(path, 1)[0]}...")
            if head.file.count("/") > depth and (with_deleted or not head.is_deleted)
        }
        return sorted(directory for directory in above if matches(directory))

    def begin(self, change: int) -> bool:
        """Return False if the submit already runs."""
        with self._lock:
            is_new = change not in self._unfinished_submits
            self._unfinished_submits = {change: (), **self._unfinished_submits}
        return is_new

    def show(self, change: int, revisions: Iterable[Revision]) -> None:
        """Make the files of a running submit or shelve visible, only to queries of `@=change`."""
        with self._lock:
            self._unfinished_submits = {**self._unfinished_submits, change: tuple(revisions)}

    def end(self, change: int) -> None:
        with self._lock:
            self._unfinished_submits = {
                n: r for n, r in self._unfinished_submits.items() if n != change
            }

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

    def _candidates(self, path: str, at: RevisionSuffix) -> list[str]:
        """A real server chooses the way by dm.revcx.thresh1 and thresh2 (p4 help undoc)."""
        changes = at.changes
        if changes is None:
            return self._paths_below(self._fold(WILDCARD.split(path, 1)[0]))
        revisions = (
            revision for change in changes for revision in self._by_change.get(change, ())
        )
        return sorted({self._fold(revision.file) for revision in revisions})

    def _paths_below(self, prefix: str) -> list[str]:
        order = self._order
        return order[bisect_left(order, prefix) : bisect_left(order, prefix + _LAST)]
