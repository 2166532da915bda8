from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking import form_text, tables

if TYPE_CHECKING:
    from collections.abc import Iterable

# Three words and the command: p4d writes quotation marks around a command with blanks.
_COMMAND = re.compile(r'\s+(?:(?:"[^"]*"|[^\s"]+)\s+){3}"?(.*?)"?\s*', re.DOTALL)
_VARIABLE = re.compile(r"%([A-Za-z][A-Za-z0-9_-]*)?%")


class CalledProgram(NamedTuple):
    """A program with its fixed words, the first of its events, and its rows of the table."""

    words: tuple[str, ...]
    event: str
    rows: tuple[str, ...]


def called_programs(rows: Iterable[str]) -> tuple[CalledProgram, ...]:
    """Return the programs of p4warden's rows of a triggers table, each once, in table order."""
    programs: dict[tuple[str, ...], CalledProgram] = {}
    events = tables.trigger_events()
    for row in rows:
        words = _command_words(row)
        place = next((at for at, word in enumerate(words) if word in events), None)
        if not place:
            continue
        key = tuple(words[:place])
        known = programs.get(key, CalledProgram(key, words[place], ()))
        programs[key] = known._replace(rows=(*known.rows, row))
    return tuple(programs.values())


def _command_words(row: str) -> list[str]:
    """Split a row's command as p4d does; variables other than `%quote%` and `%%` stay."""
    match = _COMMAND.fullmatch(row)
    text = _VARIABLE.sub(_expanded, match[1]) if match else ""
    return form_text.words(text)


def _expanded(variable: re.Match[str]) -> str:
    return {None: "%", "quote": '"'}.get(variable[1], variable[0])
