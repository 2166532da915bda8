from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = " \t\n\v\f\r"


def split_words(line: str) -> Iterator[str]:
    """Yield the words of a trigger line, split as p4d splits it at unquoted blanks.

    Its source: StrOps::Words, support/strops.cc in the Perforce C++ API.
    A quotation mark switches quoting on or off anywhere in a word, two adjacent marks stand for
    one literal mark, and a NUL ends the line.
    """
    word: list[str] | None = None
    is_quoted, letters = False, iter(line.partition("\0")[0].replace('""', "\0"))
    for letter in letters:
        if letter in _BLANKS and not is_quoted:
            if word is not None:
                yield "".join(word)
            word = None
            continue
        word = word if word is not None else []
        if letter == '"':
            is_quoted = not is_quoted
        else:
            word.append('"' if letter == "\0" else letter)
    if word is not None:
        yield "".join(word)
