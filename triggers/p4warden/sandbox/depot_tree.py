"""The files in the depots: a fixed set of paths, each with one text revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.sandbox.depot_paths import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REVISION = "1"
CHANGE = "1"


class DepotTree:
    """The files of all depots, in the order of their paths."""

    def __init__(self, paths: Iterable[str], *, case_sensitive: bool) -> None:
        self._paths = sorted(paths)
        self._case_sensitive = case_sensitive

    def files(self, path: str) -> Iterator[str]:
        """Yield the files a path with wildcards means."""
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        return (file for file in self._paths if matches(file))

    def directories(self, path: str) -> list[str]:
        """Return the directories a path with `*` means: those with a file somewhere below."""
        depth = path.count("/")
        matches = pattern(path, case_sensitive=self._case_sensitive).fullmatch
        above = {"/".join(f.split("/")[: depth + 1]) for f in self._paths if f.count("/") > depth}
        return sorted(directory for directory in above if matches(directory))
