from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSED = {'"': re.compile(r'"(?:[^"\\]|\\.)*"'), "'": re.compile(r"'(?:[^']|'')*'")}
_OPEN = -1
_AFTER = re.compile(r"\s*(?:$|[,:\]}]|#)")


def open_quote(line: str) -> tuple[int, str] | None:
    """Return the first faulty quotation in a YAML line: its column, from 1, and the fault.

    None if no fault is found.
    """
    for at, end in _characters(line):
        if end == _OPEN:
            return at + 1, f"this quotation mark is not closed (close it with {line[at]})"
        if end is not None and not _AFTER.match(line, end):
            return at + 1, _too_early(line[at])
    return None


def brackets(line: str) -> Iterator[tuple[int, str]]:
    """Yield the brackets and braces of a YAML line with their columns, except those in quotes."""
    return ((at + 1, line[at]) for at, _ in _characters(line) if line[at] in "[]{}")


def _characters(line: str) -> Iterator[tuple[int, int | None]]:
    """Yield the indexes of the characters that stand neither in quotes nor in a comment.

    With the mark that begins a quotation comes the index after its end, or `_OPEN`.
    """
    at = 0
    may_begin = True  # whether a YAML value may begin at index `at` of the line
    while at < len(line) and not (line[at] == "#" and not line[:at][-1:].strip()):
        quoted = _CLOSED.get(line[at]) if may_begin else None
        match = quoted and quoted.match(line, at)
        end = match.end() if match else _OPEN if quoted else None
        yield at, end
        may_begin = line[at] in "[{,:-" if not line[at].isspace() else may_begin
        at = max(end or 0, at + 1)


def _too_early(character: str) -> str:
    other = "double" if character == "'" else "single"
    return (
        "there is text after the closing quotation mark "
        f"(quote the whole text, with {other} quotes)"
    )
