# A user has the same level for all files and hosts: the highest level in the lines that name the
# user or one of the user's groups. Of these lines, one with `-//...` removes the levels of those
# before it (`p4 help protect`); lines that exclude less, or name hosts, are stored without effect.

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.words import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LEVELS = ("list", "read", "open", "write", "admin", "super")
SUPER = LEVELS[-1]


class Protection(NamedTuple):
    level: str
    kind: str
    name: str
    host: str
    path: str

    @classmethod
    def of(cls, line: str) -> Protection:
        return cls(*split_words(line))


class Protections:
    """`fold` makes names comparable: A-Z in lower case on a case-insensitive server."""

    def __init__(self, lines: Iterable[str], fold: Callable[[str], str]) -> None:
        self._lines = [Protection.of(line) for line in lines]
        self._fold = fold

    @property
    def lines(self) -> list[Protection]:
        return self._lines

    def matching(self, user: str, groups: Iterable[str]) -> list[Protection]:
        names = {"user": [user], "group": list(groups)}
        return [
            line
            for line in self._lines
            if any(self._matches(line.name, name) for name in names.get(line.kind, ()))
        ]

    def level(self, user: str, groups: Iterable[str]) -> str | None:
        """None without access; with an empty protections table every user has level `super`."""
        if not self._lines:
            return SUPER
        highest = None
        for line in self.matching(user, groups):
            if line.host != "*":
                continue
            if line.path.startswith("-"):
                highest = None if line.path == "-//..." else highest
            elif highest is None or LEVELS.index(line.level) > LEVELS.index(highest):
                highest = line.level
        return highest

    def _matches(self, pattern: str, name: str) -> bool:
        literals = self._fold(pattern).split("*")
        return re.fullmatch(".*".join(map(re.escape, literals)), self._fold(name)) is not None
