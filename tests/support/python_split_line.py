"""Conversion of a described event into the event that a trigger would receive.

The names of user, client, spec and program are put into a trigger line, which is split into words
as p4d splits it (StrOps::Words, support/strops.cc in the Perforce C++ API). So a rehearsal treats
a name with a quotation mark as the running triggers do. The gate does the same for commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.trigger_options import END, END_VALUE, FORM, ORDER, options_of
from p4warden.worker import arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.core.records import Event

_NAME_FIELDS = ("user", "client", "name", "prog")
_BLANKS = " \t\n\v\f\r"


def as_split(event: Event) -> Event:
    """Return an event with the values that the words of its trigger line contain."""
    values = {name: getattr(event, name) or "" for name in _NAME_FIELDS}
    if not any(map(_is_odd, values.values())):
        return event
    words = arguments.parse(list(split_words(_line(event.event, values))))
    form = None if words.is_tampered else event.form
    return event._replace(
        user=words.get("user"),
        client=words.get("client"),
        name=words.get("name") if "name" in options_of(event.event) else event.name,
        prog=words.get("prog"),
        form=form,
        is_tampered=words.is_tampered,
        broken_name=words.broken_name,
    )


def _is_odd(value: str) -> bool:
    return '"' in value or "\0" in value or any(f"--{name}=" in value for name in ORDER)


def _line(event: str, values: dict[str, str]) -> str:
    passed_values = {"line": FORM, **values, END: END_VALUE}
    words = [f'"--{name}={passed_values.get(name, "")}"' for name in options_of(event)]
    return " ".join([event, *words])


def split_words(line: str) -> Iterator[str]:
    """Yield the words of a trigger line, split at unquoted blanks as p4d splits it.

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
