"""The directories whose files a server is asked for, from the top down.

A directory with more files than a view may span is no proposal, so a list is cut one file after
the limit; only then are the directories below it asked for. The list of a directory within the
limit counts all those below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    # The files below a directory, at most one more than the limit; how many there were.
    Listed = Callable[[bytes], int]


class Directories:
    """The directories that hold some files, and those above them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._below: dict[bytes, set[bytes]] = {}
        self._depots: set[bytes] = set()

    def take(self, depot_path: bytes) -> None:
        """Note the directories of a file."""
        ends = [at + 1 for at, byte in enumerate(depot_path) if byte == ord("/")][2:]
        paths = [depot_path[:end] for end in ends]
        if not paths or paths[-1] in self._below:
            return
        self._depots.add(paths[0])
        for path, inner in zip(paths, [*paths[1:], None], strict=True):
            self._below.setdefault(path, set()).update(() if inner is None else (inner,))

    def all(self) -> Iterable[bytes]:
        """Return the directories, with the slash at their ends."""
        return self._below.keys()

    def counted(
        self, listed: Listed, most: int, is_too_wide: Callable[[bytes], bool]
    ) -> Iterable[bytes]:
        """Ask for lists; yield the directories of which no whole list is known.

        Args:
            listed: asks for the files below a directory.
            most: the most files that a view may span.
            is_too_wide: whether a directory is known to be too wide without asking.
        """
        pending = sorted(self._depots, reverse=True)
        while pending:
            directory = pending.pop()
            if is_too_wide(directory) or listed(directory) > most:
                yield directory
                pending += sorted(self._below[directory], reverse=True)
