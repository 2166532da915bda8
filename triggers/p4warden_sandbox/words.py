from __future__ import annotations

import re

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
