from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# The expressions list the six blank characters, because `\s` also matches a no-break space.
_FORM_WORD = re.compile(r'"([^"]*)"?|([^" \t\n\v\f\r][^ \t\n\v\f\r]*)')
_COMMAND_WORD = re.compile(r'(?:""|"(?:""|[^"])*(?:"|\Z)|[^" \t\n\v\f\r])+')
_QUOTE = re.compile(r'"("?)')
_MOST_DIGITS = 18
"""Most digits that always fit into 64 bits, as p4d's numbers do; Python accepts up to 4,300."""


def split_words(line: str) -> list[str]:
    """Split a form's line; a quoted word has no escape (support/specdata.cc, SpecWords::Split)."""
    return [plain or quoted for quoted, plain in _FORM_WORD.findall(line)]


def join_words(words: list[str]) -> str:
    """Join words as support/specdata.cc, SpecWords::Join, which does not quote a tab either."""
    return " ".join(f'"{w}"' if not w or " " in w or "#" in w else w for w in words)


def split_command(command: str) -> list[str]:
    """Split a trigger's command (Perforce API source support/strops.cc, StrOps::Words).

    A quote switches quoting anywhere in a word, and two quotes together are one literal quote;
    therefore `""` is not an empty argument. A NUL ends the command.
    """
    words = _COMMAND_WORD.findall(command.split("\0", 1)[0])
    return [_QUOTE.sub(r"\1", word) for word in words]


def is_whole_number(text: str) -> bool:
    """Tell whether a text from a p4 client is a whole number of 1 to 18 ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def expand(command: str, variables: Mapping[str, str], unknown: str = "left") -> str:
    """Return a trigger's command with each known `%name%` replaced by the variable's value.

    `%%` stands for one `%`, and an unpaired `%` is dropped. Values are not expanded again
    (Perforce API source support/strops.cc, StrOps::Expand). `unknown` is a value of the variant
    `unknown-variables`; `removed` removes an unknown `%name%` together with its word.
    """
    if unknown == "removed":
        words = command.split(" ")
        return " ".join(
            _with_values(w, variables, "") for w in words if not _has_unknown(w, variables)
        )
    return _with_values(command, variables, "%{}%" if unknown == "left" else "")


def _with_values(command: str, variables: Mapping[str, str], unknown: str) -> str:
    result: list[str] = []
    position = 0
    while (start := command.find("%", position)) >= 0:
        result.append(command[position:start])
        end = command.find("%", start + 1)
        if end < 0:
            position = start + 1
            break
        name = command[start + 1 : end]
        result.append(variables.get(name, unknown.format(name)) if name else "%")
        position = end + 1
    result.append(command[position:])
    return "".join(result)


def _has_unknown(word: str, variables: Mapping[str, str]) -> bool:
    return any(name and name not in variables for name in word.split("%")[1:-1:2])
