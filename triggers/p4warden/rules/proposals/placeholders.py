"""Placeholder words in capitals that proposed lines contain where only the reader knows the name.

A line with an unreplaced placeholder maps nothing, and p4d accepts it silently; so the rules that
propose placeholders also object to them.
"""

from __future__ import annotations

from p4warden.core.facts import folded
from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.core.records import Facts

PLACEHOLDER = "DIRECTORY"
UNKNOWN_DEPOT = "DEPOT"
SHORT = "SHORT"
CLIENT = "//CLIENT/"
"""How the views of a policy begin their client paths, in place of the client's own name."""

# The placeholder of a depot is replaced only as a depot name; a directory may be called DEPOT.
# Patterns are compiled once a path contains a placeholder: each costs a trigger about 100 us.
WIDER_WORDS = rf"/({PLACEHOLDER}|(?<=^//){UNKNOWN_DEPOT})(?=/|$)"
LONGER_WORDS = rf"/({SHORT})(?=/|$)"
_WORDS = (PLACEHOLDER, UNKNOWN_DEPOT, SHORT)


class Unreplaced:
    """Finds unreplaced placeholder words in the paths of one form.

    A word that is the real name of a depot or a top directory is not a placeholder. Each word is
    looked up once, because forms have many lines, and servers many directories.

    Args:
        words: `WIDER_WORDS` or `LONGER_WORDS`.
        facts: the names of depots and directories.
    """

    def __init__(self, words: str, facts: Facts) -> None:
        self._words, self._facts = words, facts
        self._known: dict[str, bool] = {}

    def first(self, path: str) -> str | None:
        """Return the first unreplaced placeholder of a path."""
        if not any(word in path for word in _WORDS):
            return None
        import re  # noqa: PLC0415 - few paths hold such a word

        held = re.findall(self._words, path)
        return next((word for word in held if not self._is_known(word)), None)

    def _is_known(self, word: str) -> bool:
        if word not in self._known:
            self._known[word] = _is_known(folded(word, self._facts), self._facts)
        return self._known[word]


def objection(word: str) -> str:
    """Return the objection to a path with an unreplaced placeholder, to follow the path."""
    return f"still contains the placeholder {word}; put a real name in its place"


def _is_known(word: str, facts: Facts) -> bool:
    return any(
        len(name) == len(word) and folded(name, facts) == word
        for depot, depot_facts in facts.depots.items()
        for name in (depot, *(depot_facts.directories or ()))
    )
