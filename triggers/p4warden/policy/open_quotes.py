from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSED = {'"': re.compile(r'"(?:[^"\\]|\\.)*"'), "'": re.compile(r"'(?:[^']|'')*'")}
_AFTER = re.compile(r"\s*(?:$|[,:\]}]|#)")


def open_quote(line: str) -> tuple[int, str] | None:
    """Return the first faulty quotation in a YAML line: its column, from 1, and the fault.

    None if no fault is found.
    """
    at = 0
    may_begin = True  # whether a YAML value may begin at index `at` of the line
    while at < len(line):
        character = line[at]
        if character == "#" and (at == 0 or line[at - 1].isspace()):
            return None
        if may_begin and character in _CLOSED:
            match = _CLOSED[character].match(line, at)
            if match is None:
                return at + 1, f"this quotation mark is not closed (close it with {character})"
            if not _AFTER.match(line, match.end()):
                return at + 1, _too_early(character)
            at, may_begin = match.end(), False
            continue
        may_begin = character in "[{,:-" if not character.isspace() else may_begin
        at += 1
    return None


def brackets(line: str) -> Iterator[tuple[int, str]]:
    """Yield the brackets and braces of a YAML line with their columns, except those in quotes."""
    at = 0
    while at < len(line):
        character = line[at]
        if character == "#" and (at == 0 or line[at - 1].isspace()):
            return
        match = _CLOSED[character].match(line, at) if character in _CLOSED else None
        if character in "[]{}":
            yield at + 1, character
        at = match.end() if match else at + 1


def _too_early(character: str) -> str:
    other = "double" if character == "'" else "single"
    return (
        "there is text after the closing quotation mark "
        f"(quote the whole text, with {other} quotes)"
    )
