"""Commands that list the names for the placeholders of proposed lines."""

from __future__ import annotations

import re
from itertools import islice

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.depot_path import split_flag, split_words
from p4warden.rules.proposals.placeholders import LONGER_WORDS, WIDER_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

# Paths that a shell leaves unchanged. Names come from people, and users paste commands.
_PLAIN = r"//[\w./+-]+"


def as_wildcards(path: str) -> str:
    """Return a path with a wildcard in place of each placeholder for a depot or a directory."""
    return re.sub(WIDER_WORDS, "/*", path)


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
