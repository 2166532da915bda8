"""Placeholder words in capitals, for names in proposed lines that only the user knows.

A view line with an unreplaced placeholder maps nothing, and p4d accepts it silently; so
`limit_view_scope` and `limit_path_length` object to their own placeholders.
"""

from __future__ import annotations

from p4warden.core.facts import folded
from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Facts

PLACEHOLDER = "DIRECTORY"
UNKNOWN_DEPOT = "DEPOT"
SHORT = "SHORT"
CLIENT = "//CLIENT/"
"""Start of the client paths in a policy's views; stands for `//`, the client's name and `/`."""

WIDER_WORDS = (PLACEHOLDER, UNKNOWN_DEPOT)
LONGER_WORDS = (SHORT,)
_AT_DEPOT = 2


def placeholders(path: str, words: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield the placeholders of a depot path: offset of the slash before each, and its word.

    The placeholder of a depot counts only as a depot's name; a directory may be called DEPOT.
    """
    slash = -1
    for number, name in enumerate(path.split("/")):
        is_depot = number == _AT_DEPOT and path.startswith("//")
        if number and name in words and (name != UNKNOWN_DEPOT or is_depot):
            yield slash, name
        slash += len(name) + 1


class PlaceholderFinder:
    """Finder of placeholder words that a user left unreplaced in the paths of one form.

    A word that is the real name of a depot or a top directory is not a placeholder. Each word is
    looked up once, because forms have many lines, and servers many directories.

    Args:
        words: the placeholder words: `WIDER_WORDS` or `LONGER_WORDS`.
        facts: the facts with the names of depots and top directories.
    """

    def __init__(self, words: tuple[str, ...], facts: Facts) -> None:
        self._words, self._facts = words, facts
        self._is_known_by_word: dict[str, bool] = {}

    def first(self, path: str) -> str | None:
        """Return the first placeholder that a user left in a view's path; None without any."""
        if not any(word in path for word in self._words):
            return None
        names = (name for _, name in placeholders(path, self._words))
        return next((name for name in names if not self._is_known(name)), None)

    def _is_known(self, word: str) -> bool:
        if word not in self._is_known_by_word:
            self._is_known_by_word[word] = _is_known(folded(word, self._facts), self._facts)
        return self._is_known_by_word[word]


def objection(word: str) -> str:
    """Return the objection to an unreplaced placeholder, to follow the path in a refusal."""
    return f"still contains the placeholder {word}; put a real name in its place"


def _is_known(word: str, facts: Facts) -> bool:
    return any(
        len(name) == len(word) and folded(name, facts) == word
        for depot, depot_facts in facts.depots.items()
        for name in (depot, *(depot_facts.directories or ()))
    )
