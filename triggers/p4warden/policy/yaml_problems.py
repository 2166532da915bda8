"""Explain why a policy is not valid YAML: the faulty line and its correction.

A YAML parser stops at the first token that it cannot process, which may be lines after the
problem. Each function in `_PROBLEMS` recognizes a common problem.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.plural import amount
from p4warden.policy import corrections
from p4warden.policy.open_quotes import brackets, open_quote
from p4warden.policy.problems import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Explanation = tuple[Mark, str]

_MERGE = re.compile(r"(<{7}|={7}|>{7})( |$)")
_KEY_VALUE = re.compile(r"\s*(?:- +)?([A-Za-z_]+:[^\s/].*)")
_DASH_KEY = re.compile(r"\s*-([A-Za-z_]+): ")
_CLOSING = {"[": "]", "{": "}"}
_SPECIAL = {
    "*": "begins an alias",
    "&": "begins an anchor",
    "!": "begins a tag",
    "%": "begins a directive",
    "@": "is reserved",
    "`": "is reserved",
}


class BadText(NamedTuple):
    """A policy text that the YAML parser rejected.

    Attributes:
        problem: the parser's message.
        start: the start of the construct that the parser was reading, or None.
    """

    lines: list[str]
    mark: Mark
    problem: str
    start: Mark | None
    keys: Collection[str]

    @property
    def line(self) -> str:
        return self.at(Mark(self.mark.line, 1))

    @property
    def rest(self) -> str:
        return self.at(self.mark)

    def at(self, mark: Mark) -> str:
        lines = self.lines[mark.line - 1 : mark.line]
        return lines[0][mark.column - 1 :] if lines else ""

    @property
    def numbered_lines(self) -> list[tuple[int, str]]:
        return [*enumerate(self.lines[: self.mark.line], start=1)]


def explained(bad: BadText) -> Explanation | None:
    """Return position and correction of the problem in a YAML text.

    None for an unknown problem.
    """
    return next(filter(None, (look(bad) for look in _PROBLEMS)), None)


def _merge_marker(bad: BadText) -> Explanation | None:
    for number, line in enumerate(bad.lines, start=1):
        if _MERGE.match(line):
            text = "this is a marker of a merge conflict (resolve the conflict and remove it)"
            return Mark(number, 1), text
    return None


def _tab(bad: BadText) -> Explanation | None:
    indent = bad.line[: len(bad.line) - len(bad.line.lstrip())]
    if "\t" in indent:
        place = Mark(bad.mark.line, indent.index("\t") + 1)
        return place, "this line is indented with a tab (use spaces)"
    return (bad.mark, "there is a tab here (use spaces)") if bad.rest[:1] == "\t" else None


def _single_line(bad: BadText) -> Explanation | None:
    """Explain the first line that is wrong whatever stands above it."""
    for look in (open_quote, partial(_blank_after_colon, bad), partial(_blank_after_dash, bad)):
        for number, line in bad.numbered_lines:
            if problem := look(line):
                return Mark(number, problem[0]), problem[1]
    return None


def _blank_after_colon(bad: BadText, line: str) -> tuple[int, str] | None:
    match = _KEY_VALUE.match(line)
    problem = match and corrections.blank_after_colon(match[1], bad.keys)
    return (match.start(1) + 1, problem) if match and problem else None


def _blank_after_dash(bad: BadText, line: str) -> tuple[int, str] | None:
    match = _DASH_KEY.match(line)
    if match is None or match[1] not in bad.keys:
        return None
    return match.start(1), f"a space is missing after the dash (write - {match[1]}:)"


def _special_character(bad: BadText) -> Explanation | None:
    is_at_start = any(word in bad.problem for word in ("alias", "anchor", "alphabetic"))
    mark = bad.start if bad.start and is_at_start else bad.mark
    rest = bad.at(mark)
    meaning = _SPECIAL.get(rest[:1])
    if meaning is None:
        return None
    word = re.split(r"[,\]}]|\s#|$", rest, maxsplit=1)[0].strip()
    return mark, f'{rest[0]} {meaning} in YAML (quote it: write "{word}")'


def _escape(bad: BadText) -> Explanation | None:
    if "escape" not in bad.problem:
        return None
    return bad.mark, "a backslash in double quotes begins an escape (use single quotes)"


def _unclosed(bad: BadText) -> Explanation | None:
    open_brackets: list[tuple[Mark, str]] = []
    for number, line in bad.numbered_lines[:-1] if bad.line else bad.numbered_lines:
        for column, character in brackets(line):
            if character in _CLOSING:
                open_brackets.append((Mark(number, column), character))
            elif open_brackets:
                open_brackets.pop()
    if not open_brackets:
        return None
    return _not_closed(*open_brackets[-1])


def _not_closed(mark: Mark, bracket: str) -> Explanation:
    return mark, f"this {bracket} is not closed (write {_CLOSING[bracket]} at its end)"


def _flow(bad: BadText) -> Explanation | None:
    """Explain YAML such as `[a, b]` or `{a: b}` with a missing or repeated bracket or comma."""
    start, at = bad.start, bad.rest[:1]
    opening = bad.at(start)[:1] if start else ""
    if start and opening in ("[", "{"):
        if ";" in bad.line[: bad.mark.column]:
            first = Mark(bad.mark.line, bad.line.index(";") + 1)
            return first, "semicolons do not separate items in YAML (write commas)"
        if start.line != bad.mark.line or (at in ("}", "") and opening == "["):
            return _not_closed(start, opening)
        if at not in ("]", "}"):
            return bad.mark, f"a comma is missing before this (or a {_CLOSING[opening]})"
    openings = {closing: opening for opening, closing in _CLOSING.items()}
    if at in openings:
        return bad.mark, f"this {at} has no {openings[at]} before it (remove it)"
    return None


def _second_document(bad: BadText) -> Explanation | None:
    if "document" not in bad.problem:
        return None
    return bad.mark, "a second document begins here (one policy in a file: remove ---)"


def _block_text(bad: BadText) -> Explanation | None:
    if not bad.rest or "expected" not in bad.problem or bad.start is None:
        return None
    line_rest = bad.at(bad.start)
    if line_rest[:1] not in ("|", ">"):
        return None
    text = f"{line_rest[0]} begins a text of several lines in YAML (write it in quotes)"
    return bad.start, text


def _second_colon(bad: BadText) -> Explanation | None:
    if "mapping values" not in bad.problem:
        return None
    match = re.match(r"\s*(?:- +)*([^\s:]+): +(?=\S)", bad.line)
    if match and bad.mark.column > match.end():
        keys = [key for key in re.findall(r", *([A-Za-z_]+):", bad.line) if key in bad.keys]
        if keys:
            braces = "put { } around them, or each in a line of its own"
            return Mark(bad.mark.line, match.start(1) + 1), f"several keys in a line ({braces})"
        value = bad.line[match.end() :].strip()
        problem = f'there is a second colon in this line (quote the text: {match[1]}: "{value}")'
        return Mark(bad.mark.line, match.end() + 1), problem
    return _start(bad), (
        f"this line is indented by {amount(_indent(bad.line), 'space')}, but the line above it, "
        f"which already has a value, by {_indent(_line_above(bad))} (align them)"
    )


def _list_beside_key(bad: BadText) -> Explanation | None:
    if "sequence entries" not in bad.problem:
        return None
    return bad.mark, "a list begins below its key (put this item in a line of its own)"


def _no_colon(bad: BadText) -> Explanation | None:
    if "expected ':'" not in bad.problem or bad.start is None:
        return None
    word = bad.at(bad.start).strip()
    if word.startswith(("//", "--", ";")):
        return bad.start, f"{word} is not YAML (a comment begins with #)"
    return bad.start, f"{word} has no colon (write key: value)"


def _list_or_keys(bad: BadText) -> Explanation | None:
    if not bad.start or _indent(bad.line) != bad.start.column - 1:
        return None
    if bad.rest.startswith("-"):
        return bad.mark, "there is a list item among keys (is its own key missing above it?)"
    return bad.mark, (
        "there is a key among list items (begin it with - for a new item, or indent it like the "
        "keys of the item above)"
    )


def _bad_indent(bad: BadText) -> Explanation | None:
    if "did not find expected" not in bad.problem and "<block end>" not in bad.problem:
        return None
    levels = {_indent(line) for _, line in bad.numbered_lines[:-1] if line.strip()}
    own = _indent(bad.line)
    near = min(levels, key=lambda level: (abs(level - own), -level), default=0)
    problem = (
        f"this line is indented by {amount(own, 'space')}, unlike all lines above "
        f"it (the nearest indentation there is {near})"
    )
    return _start(bad), problem


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _start(bad: BadText) -> Mark:
    return Mark(bad.mark.line, _indent(bad.line) + 1)


def _line_above(bad: BadText) -> str:
    return next((line for _, line in reversed(bad.numbered_lines[:-1]) if line.strip()), "")


_PROBLEMS: tuple[Callable[[BadText], Explanation | None], ...] = (
    _merge_marker,
    _tab,
    _single_line,
    _special_character,
    _escape,
    _flow,
    _unclosed,
    _list_beside_key,
    _second_document,
    _block_text,
    _second_colon,
    _no_colon,
    _list_or_keys,
    _bad_indent,
)
