"""Placeholder words in capitals that proposed lines contain where only the reader knows the name.

A line with an unreplaced placeholder maps nothing, and p4d accepts it silently; so the rules that
propose placeholders also object to them.
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

# The placeholder of a depot is replaced only as a depot name; a directory may be called DEPOT.
# Patterns are compiled once a path contains a placeholder: each costs a trigger about 100 us.
WIDER_WORDS = rf"/({PLACEHOLDER}|(?<=^//){UNKNOWN_DEPOT})(?=/|$)"
LONGER_WORDS = rf"/({SHORT})(?=/|$)"
_WORDS = (PLACEHOLDER, UNKNOWN_DEPOT, SHORT)
# Paths that a shell leaves unchanged. Names come from people, and users paste commands.
_PLAIN = r"//[\w./+-]+"


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
        held = re.findall(self._words, path)
        return next((word for word in held if not self._is_known(word)), None)

    def _is_known(self, word: str) -> bool:
        if word not in self._known:
            self._known[word] = _is_known(folded(word, self._facts), self._facts)
        return self._known[word]


def objection(word: str) -> str:
    """Return the objection to a path with an unreplaced placeholder, to follow the path."""
    return f"still contains the placeholder {word}; put a real name in its place"


def as_wildcards(path: str) -> str:
    """Return a path with a wildcard in place of each placeholder for a depot or a directory."""
    return re.sub(WIDER_WORDS, "/*", path)


def _is_known(wanted: str, facts: Facts) -> bool:
    return any(
        len(name) == len(wanted) and folded(name, facts) == wanted
        for depot, known in facts.depots.items()
        for name in (depot, *(known.directories or ()))
    )


def how_to_choose(lines: Iterable[str], more: int) -> list[str]:
    """Return the note below proposed lines: a command to list names, and the number of others.

    `limit_command_scope` allows these commands: `p4 dirs` with one star scans one level (p4 help
    dirs).
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
    """Return the command that lists the names for a path's first placeholder, after a colon."""
    found = re.search(WIDER_WORDS, path)
    before = path[: found.start()] if found else path
    return ": p4 depots lists the depots" if before == "/" else _dirs(before)


def _dirs(path: str) -> str:
    return f': p4 dirs "{path}/*" lists them' if re.fullmatch(_PLAIN, path, re.ASCII) else ""


def _depot_path(line: str) -> list[str]:
    """Return a line's first depot path; a client path follows it."""
    words = (split_flag(word)[1] for word in split_words(line))
    return [*islice((word for word in words if word.startswith("//")), 1)]
