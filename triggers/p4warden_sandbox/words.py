"""Perforce's two ways of splitting text into words, which treat quotes differently.

The sandbox deliberately has its own implementation, independent of that in p4warden, which is
tested against it.
"""

from __future__ import annotations

import re

# The expressions list the six blank characters, because `\s` also matches a no-break space.
_FORM_WORD = re.compile(r'"([^"]*)"?|([^" \t\n\v\f\r][^ \t\n\v\f\r]*)')
_COMMAND_WORD = re.compile(r'(?:""|"(?:""|[^"])*(?:"|\Z)|[^" \t\n\v\f\r])+')
_QUOTE = re.compile(r'"("?)')


def split_words(line: str) -> list[str]:
    """Split a line of a Perforce form into words.

    A word is a sequence of non-blanks, or the text between a quote at the start of a word and the
    next quote or the end. There is no escape: a quoted word cannot contain a quote. (Perforce API
    source support/specdata.cc, SpecWords::Split.)
    """
    return [plain or quoted for quoted, plain in _FORM_WORD.findall(line)]


def join_words(words: list[str]) -> str:
    """Join words to a line of a form; quote words that are empty or contain a space or `#`.

    (Perforce API source support/specdata.cc, SpecWords::Join; a tab is not quoted there either.)
    """
    return " ".join(f'"{w}"' if not w or " " in w or "#" in w else w for w in words)


def split_command(command: str) -> list[str]:
    """Split the command of a trigger line into arguments.

    A quote switches quoting on or off anywhere in a word, and two quotes together, inside or
    outside of quoting, are one literal quote; therefore `""` is not an empty argument. A NUL ends
    the command. (Perforce API source support/strops.cc, StrOps::Words.)
    """
    words = _COMMAND_WORD.findall(command.split("\0", 1)[0])
    return [_QUOTE.sub(r"\1", word) for word in words]
