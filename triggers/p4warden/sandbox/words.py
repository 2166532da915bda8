"""Perforce's two ways to split text into words; they treat quotes differently.

The sandbox has its own on purpose and shares none with the rest of p4warden: it is the yardstick
the others are measured with.
"""

from __future__ import annotations

# ASCII only: str.split() would also take a no-break space for a separator.
BLANKS = " \t\n\v\f\r"


def split_words(line: str) -> list[str]:
    """Split a line of a form.

    A word is a run of non-blanks, or what stands between a quote at the start of a word and the
    next quote. There is no escape: a quote can never be part of a quoted word. (Perforce API
    source support/specdata.cc, SpecWords::Split.)
    """
    words = []
    position = _skip_blanks(line, 0)
    while position < len(line):
        if line[position] == '"':
            end = line.find('"', position + 1)
            end = len(line) if end < 0 else end
            words.append(line[position + 1 : end])
            position = end + 1
        else:
            end = _word_end(line, position)
            words.append(line[position:end])
            position = end
        position = _skip_blanks(line, position)
    return words


def join_words(words: list[str]) -> str:
    """Return words as one line of a form, quoting those that are empty or hold a space or `#`.

    (Perforce API source support/specdata.cc, SpecWords::Join; a tab is not quoted there either.)
    """
    return " ".join(f'"{w}"' if not w or " " in w or "#" in w else w for w in words)


def split_command(command: str) -> list[str]:
    """Split a trigger's command into arguments.

    A quote switches quoting on or off anywhere in a word, and two quotes together, inside or
    outside of quoting, are one literal quote: so `""` is not an empty argument. (Perforce API
    source support/strops.cc, StrOps::Words.)
    """
    words = []
    position = _skip_blanks(command, 0)
    while position < len(command):
        word, position = _command_word(command, position)
        words.append(word)
        position = _skip_blanks(command, position)
    return words


def _command_word(command: str, position: int) -> tuple[str, int]:
    letters: list[str] = []
    quoted = False
    while position < len(command) and (quoted or command[position] not in BLANKS):
        if command.startswith('""', position):
            letters.append('"')
            position += 1
        elif command[position] == '"':
            quoted = not quoted
        else:
            letters.append(command[position])
        position += 1
    return "".join(letters), position


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in BLANKS:
        position += 1
    return position


def _word_end(text: str, position: int) -> int:
    while position < len(text) and text[position] not in BLANKS:
        position += 1
    return position
