"""Which depot directories are requested from a server, from the top down.

A directory with more files than a client view may span cannot be proposed, so each list is cut one
file after the limit. Subdirectories are requested only for such a directory: a complete list has
the files of all directories below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    # Requests the files below a depot directory, at most one more than the limit; returns their
    # number.
    Listed = Callable[[bytes], int]


class Directories:
    def __init__(self) -> None:
        self._subdirectories: dict[bytes, set[bytes]] = {}
        self._depots: set[bytes] = set()

    def add(self, depot_path: bytes) -> None:
        ends = [at + 1 for at, byte in enumerate(depot_path) if byte == ord("/")][2:]
        paths = [depot_path[:end] for end in ends]
        if not paths or paths[-1] in self._subdirectories:
            return
        self._depots.add(paths[0])
        for path, inner in zip(paths, [*paths[1:], None], strict=True):
            self._subdirectories.setdefault(path, set()).update(() if inner is None else (inner,))

    def all(self) -> Iterable[bytes]:
        return self._subdirectories.keys()

    def incomplete(
        self, list_files: Listed, most: int, is_too_wide: Callable[[bytes], bool]
    ) -> Iterable[bytes]:
        """Request the files below collected directories; yield each directory with too many.

        `is_too_wide` knows some without a request.
        """
        pending = sorted(self._depots, reverse=True)
        while pending:
            directory = pending.pop()
            if is_too_wide(directory) or list_files(directory) > most:
                yield directory
                pending += sorted(self._subdirectories[directory], reverse=True)
