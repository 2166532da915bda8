"""The files in the sandbox's depots: all revisions, and the new files of running submits."""

from __future__ import annotations

import threading
from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING

from p4warden_sandbox.depot_paths import WILDCARD, pattern
from p4warden_sandbox.revisions import Revision, RevisionSuffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The greatest Unicode character, which sorts after every character in depot paths.
_LAST = "\U0010ffff"


class DepotFiles:
    """All file revisions in the sandbox's depots, and the new ones of running submits.

    Changes replace whole tables, so that readers need no lock. `fold` returns a path in the form
    in which paths are compared: with A-Z in lower case on a case-insensitive server.
    """

    def __init__(self, fold: Callable[[str], str], *, case_sensitive: bool) -> None:
        self._fold = fold
        self._case_sensitive = case_sensitive
        self._histories: dict[str, tuple[Revision, ...]] = {}
        self._by_change: dict[int, tuple[Revision, ...]] = {}
        self._order: list[str] = []
        self._unfinished_submits: dict[int, tuple[Revision, ...]] = {}
        self._lock = threading.Lock()
        self._thread_state = threading.local()

    def rows_read(self) -> int:
        """Return how many revisions this thread's searches read since the thread last called this.

        Searches are `files`, `directories` and `changes_of`. The sandbox's tracking output reports
        this number as rows read.
        """
        rows: int = getattr(self._thread_state, "rows", 0)
        self._thread_state.rows = 0
        return rows

    def add(self, revisions: Iterable[Revision]) -> None:
        """Add file revisions in one atomic step, each as the newest revision of its file."""
        with self._lock:
            self._add(revisions)

    def append(self, revision: Revision) -> None:
        """Add a file revision with the next number: a file's first is an add, others are edits."""
        with self._lock:
            number = len(self.history(revision.file)) + 1
            action = "edit" if number > 1 else "add"
            self._add([revision._replace(number=number, action=action)])

    def history(self, file: str) -> tuple[Revision, ...]:
        """Return all revisions of a sandbox file, oldest first; empty for an unknown file."""
        return self._histories.get(self._fold(file), ())

    def head(self, file: str) -> Revision | None:
        """Return a sandbox file's newest revision; None if the file is unknown or deleted."""
        history = self.history(file)
        return history[-1] if history and not history[-1].is_deleted else None

    def files(self, path: str, at: RevisionSuffix | None = None) -> Iterator[Revision]:
        """Yield one revision of each file that a depot path with wildcards matches.

        It is the revision that `at` selects, a suffix such as `#3`, or else the newest one; files
        without such a revision are left out. A revision may be a deletion. For a changelist whose
        submit runs, `@=CHANGE` selects the new revisions that `show` made visible.
        """
        at = at or RevisionSuffix()
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        under_way = self._unfinished_submits.get(at.number) if at.kind == "@=" else None
        if under_way is not None:
            yield from (revision for revision in under_way if matches(revision.file))
            return
        histories = self._histories
        for name in self._candidates(path, at):
            history = histories.get(name, ())
            self._thread_state.rows = getattr(self._thread_state, "rows", 0) + len(history)
            if history and matches(history[-1].file) and (selected := at.pick(history)):
                yield selected

    def of_change(self, change: int) -> tuple[Revision, ...]:
        """Return the file revisions that a submitted changelist added to the depots."""
        return self._by_change.get(change, ())

    def changes_of(self, matches: Callable[[str], bool], most: int | None = None) -> set[int]:
        """Return the numbers of changelists with a submitted file that `matches` selects.

        The number 0 is among them if a revision in a spec depot matches, because such revisions
        have no changelist. With `most`, return only the highest numbers, at most that many.
        """
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
        """Return the directories that a depot path such as `//depot/*` selects, sorted.

        They contain files at any depth. Those with only deleted files need `with_deleted`.
        """
        depth = path.count("/")
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        above = {
            "/".join(head.file.split("/")[: depth + 1])
            for head in self.files(f"{WILDCARD.split(path, 1)[0]}...")
            if head.file.count("/") > depth and (with_deleted or not head.is_deleted)
        }
        return sorted(directory for directory in above if matches(directory))

    def begin(self, change: int) -> bool:
        """Record that the submit of a changelist has begun; return False if it already runs."""
        with self._lock:
            is_new = change not in self._unfinished_submits
            self._unfinished_submits = {change: (), **self._unfinished_submits}
        return is_new

    def show(self, change: int, revisions: Iterable[Revision]) -> None:
        """Make the new files of a running submit visible, but only to queries of `@=change`."""
        with self._lock:
            self._unfinished_submits = {**self._unfinished_submits, change: tuple(revisions)}

    def end(self, change: int) -> None:
        """Record that the sandbox's submit of a changelist has ended, successfully or not."""
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
        """Return the folded paths of files that may match a depot path with wildcards.

        These are the files of the changelists in `at`, or else all files whose paths start like
        the given path up to its first wildcard. (A real server chooses by the configurables
        dm.revcx.thresh1 and thresh2: p4 help undoc.)
        """
        changes = at.changes
        if changes is None:
            return self._paths_below(self._fold(WILDCARD.split(path, 1)[0]))
        revisions = (
            revision for change in changes for revision in self._by_change.get(change, ())
        )
        return sorted({self._fold(revision.file) for revision in revisions})

    def _paths_below(self, prefix: str) -> list[str]:
        """Return the folded paths of all depot files that start with a prefix, sorted."""
        order = self._order
        return order[bisect_left(order, prefix) : bisect_left(order, prefix + _LAST)]
