"""Read the dictionary that a server with `triggers.io=1` writes to a trigger's standard input.

It holds the trigger's variables (P4 Server Administrator Guide, triggers) as they were before any
splitting into words, so the values in a trigger line must agree with it. Published scripts show
one `name:value` a line. The encoding of values is not documented, so both the plain and the
percent-decoded value are accepted.
"""

from __future__ import annotations

import os
import select
import time

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.records import BrokenName
from p4warden.core.trigger_options import ORDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEADLINE_S = 0.2
"""Seconds to wait for the trigger dictionary on standard input, spent in full if a server does not
close its end of the pipe."""

MAX_BYTES = 4 * 1024 * 1024

_CONSTANT_VARIABLES = {
    "user": "user",
    "client": "client",
    "name": "formname",
    "prog": "clientprog",
}
_VARIABLES_ON_DEMAND = {"version": "clientversion", "cwd": "clientcwd"}
_VARIABLES = _CONSTANT_VARIABLES | _VARIABLES_ON_DEMAND


def read(descriptor: int, longest_s: float = DEADLINE_S) -> tuple[bytes, bool]:
    """Return the bytes of the trigger dictionary on standard input, and whether they ended.

    Reading stops after `longest_s` seconds. Only the first `MAX_BYTES` bytes are kept; the server
    may wait until all are read.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    end_s, content = time.monotonic() + longest_s, b""
    try:
        while True:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not poll.poll(left_s * 1000):
                break
            piece = os.read(descriptor, MAX_BYTES)
            if not piece:
                return content, True
            content += piece[: MAX_BYTES - len(content)]
    except OSError:
        pass  # standard input cannot be read further; the part read so far counts
    return content, False


def parse(content: bytes) -> dict[str, str]:
    """Parse p4d's trigger dictionary into values by variable name; a name's first value counts."""
    variables: dict[str, str] = {}
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            variables.setdefault(name.strip(), value)
    return variables


def contradiction(words: Sequence[str], variables: Mapping[str, str]) -> BrokenName | None:
    """Return a user-chosen option of a trigger line that contradicts p4d's trigger dictionary.

    The result has the option's name and the dictionary's value; None if there is no such option.
    """
    passed_values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name[2:] in ORDER:
            passed_values.setdefault(name[2:], value)
    for option, variable in _VARIABLES.items():
        if option not in passed_values or variable not in variables:
            continue
        if not _agrees(option, passed_values[option], variables[variable]):
            return BrokenName(option, _decoded(_trimmed(variables[variable])))
    return None


def _agrees(option: str, value: str, dictionary_value: str) -> bool:
    if value == f"%{_VARIABLES[option]}%":
        return True  # a p4d that does not know a variable leaves `%name%` as it is
    if not value and option in _VARIABLES_ON_DEMAND:
        return not any(
            '"' in reading or "\0" in reading for reading in _readings(dictionary_value)
        )
    return value in _readings(dictionary_value)


def _readings(dictionary_value: str) -> tuple[str, ...]:
    """Return the possible meanings of a value in a trigger dictionary.

    A value may have a blank in front and a carriage return at its end that belong to the notation,
    and may be percent-encoded.
    """
    plain = (
        dictionary_value,
        dictionary_value.removeprefix(" "),
        _trimmed(dictionary_value),
    )
    return (*plain, *map(_decoded, plain))


def _trimmed(dictionary_value: str) -> str:
    return dictionary_value.removesuffix("\r").removeprefix(" ")


def _decoded(text: str) -> str:
    parts = text.encode("utf-8", "surrogateescape").split(b"%")
    content = parts[0] + b"".join(map(_byte, parts[1:]))
    return content.decode("utf-8", "surrogateescape")


def _byte(part: bytes) -> bytes:
    try:
        return bytes.fromhex(part[:2].decode("ascii")) + part[2:] if len(part) > 1 else b"%" + part
    except ValueError:
        return b"%" + part
