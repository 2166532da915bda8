"""The words in capitals that a proposed line holds where only its reader knows the name.

Whoever writes such a line as it is maps nothing, and is told nothing by p4d; so the rules that
propose the words object to them too.
"""

from __future__ import annotations

import re
from itertools import islice

from p4warden.core.facts import folded
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.depot_path import split_flag, split_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden.core.records import Facts

PLACEHOLDER = "DIRECTORY"
UNKNOWN_DEPOT = "DEPOT"
SHORT = "SHORT"

# A depot's name stands in one place alone; a directory below may be called DEPOT.
# Patterns, compiled once a path holds one of the words: each costs a trigger some 100 us.
WIDER_WORDS = rf"/({PLACEHOLDER}|(?<=^//){UNKNOWN_DEPOT})(?=/|$)"
LONGER_WORDS = rf"/({SHORT})(?=/|$)"
_WORDS = (PLACEHOLDER, UNKNOWN_DEPOT, SHORT)
# Paths that a shell leaves unchanged: names come from people, and a command may be pasted.
_PLAIN = r"//[\w./+-]+"


class Unreplaced:
    """Which words the paths of one form still hold in place of a name.

    A word that a depot or a top directory has for its name is that name; each is looked for once,
    for forms have many lines, and servers many directories.

    Args:
        words: `WIDER_WORDS` or `LONGER_WORDS`.
        facts: the names.
    """

    def __init__(self, words: str, facts: Facts) -> None:
        self._words, self._facts = words, facts
        self._known: dict[str, bool] = {}

    def first(self, path: str) -> str | None:
        """Return the first such word of a path."""
        if not any(word in path for word in _WORDS):
            return None
        held = re.findall(self._words, path)
        return next((word for word in held if not self._is_known(word)), None)

    def _is_known(self, word: str) -> bool:
        if word not in self._known:
            self._known[word] = _is_known(folded(word, self._facts), self._facts)
        return self._known[word]


def objection(word: str) -> str:
    """Return the objection to a path that still holds a placeholder, in words that follow it."""
    return f"still contains the placeholder {word}; put a real name in its place"


def as_wildcards(path: str) -> str:
    """Return a path with a wildcard in the place of each word for a depot or a directory."""
    return re.sub(WIDER_WORDS, "/*", path)


def _is_known(wanted: str, facts: Facts) -> bool:
    return any(
        len(name) == len(wanted) and folded(name, facts) == wanted
        for depot, known in facts.depots.items()
        for name in (depot, *(known.directories or ()))
    )


def how_to_choose(lines: Iterable[str], more: int) -> list[str]:
    """Return what to say below proposed lines: where the names are, and how many others there are.

    `limit_command_scope` lets the commands through: `p4 dirs` of one star looks at one level (p4
    help dirs).
    """
    paths = [path for line in lines for path in _depot_path(line)]
    held = next((path for path in paths if re.search(WIDER_WORDS, path)), None)
    told = []
    if held or any(re.search(LONGER_WORDS, path) for path in paths):
        look = where_to_look(held) if held else ""
        told.append(f"Replace the words in capitals by names{look}.")
    if more:
        depots = {path[2:].partition("/")[0] for path in paths}
        look = _dirs(f"//{depots.pop()}") if len(depots) == 1 and not held else ""
        told.append(f"There are {more} more{look}.")
    return told


def where_to_look(path: str) -> str:
    """Return which command lists the names for the first word in a path, behind a colon."""
    found = re.search(WIDER_WORDS, path)
    before = path[: found.start()] if found else path
    return ": p4 depots lists the depots" if before == "/" else _dirs(before)


def _dirs(path: str) -> str:
    return f': p4 dirs "{path}/*" lists them' if re.fullmatch(_PLAIN, path, re.ASCII) else ""


def _depot_path(line: str) -> list[str]:
    """Return a line's first depot path; a client path comes behind it."""
    words = (split_flag(word)[1] for word in split_words(line))
    return [*islice((word for word in words if word.startswith("//")), 1)]
