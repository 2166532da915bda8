"""Perforce's two ways of splitting text into words, which treat quotes differently.

The sandbox has its own implementation on purpose and shares none with p4warden, which is tested
against it.
"""

from __future__ import annotations

import re

# Only these six characters are blanks: str.split() would also split at a no-break space.
_FORM_WORD = re.compile(r'"([^"]*)"?|([^" \t\n\v\f\r][^ \t\n\v\f\r]*)')
_COMMAND_WORD = re.compile(r'(?:""|"(?:""|[^"])*(?:"|\Z)|[^" \t\n\v\f\r])+')
_QUOTE = re.compile(r'"("?)')


def split_words(line: str) -> list[str]:
    """Split a line of a form.

    A word is a run of non-blanks, or the text between a quote at the start of a word and the next
    quote. There is no escape: a quote can never be part of a quoted word. (Perforce API source
    support/specdata.cc, SpecWords::Split.)
    """
    return [plain or quoted for quoted, plain in _FORM_WORD.findall(line)]


def join_words(words: list[str]) -> str:
    """Return words as one line of a form, quoting those that are empty or hold a space or `#`.

    (Perforce API source support/specdata.cc, SpecWords::Join; a tab is not quoted there either.)
    """
    return " ".join(f'"{w}"' if not w or " " in w or "#" in w else w for w in words)


def split_command(command: str) -> list[str]:
    """Split a trigger's command into arguments.

    A quote switches quoting on or off anywhere in a word, and two quotes together, inside or
    outside of quoting, are one literal quote: so `""` is not an empty argument. A NUL ends the
    command. (Perforce API source support/strops.cc, StrOps::Words.)
    """
    words = _COMMAND_WORD.findall(command.split("\0", 1)[0])
    return [_QUOTE.sub(r"\1", word) for word in words]
