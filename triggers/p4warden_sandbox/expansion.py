"""Expansion of `%name%` in a trigger's command, before it is split into words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def expand(command: str, variables: Mapping[str, str]) -> str:
    """Return the command with every known `%name%` replaced by its value.

    `%%` is one `%`, an unknown name stays as it is written, and a `%` without a partner is
    dropped. Values are not expanded again. (Perforce API source support/strops.cc,
    StrOps::Expand.)
    """
    result: list[str] = []
    position = 0
    while (start := command.find("%", position)) >= 0:
        result.append(command[position:start])
        end = command.find("%", start + 1)
        if end < 0:
            position = start + 1
            break
        result.append(_value(command[start + 1 : end], variables))
        position = end + 1
    result.append(command[position:])
    return "".join(result)


def _value(name: str, variables: Mapping[str, str]) -> str:
    if not name:
        return "%"
    return variables.get(name, f"%{name}%")


def quoted_arguments(arguments: list[str]) -> str:
    """Return `%argsQuoted%`: the arguments with commas between, and commas within encoded.

    Only `%` and `,` are encoded, as the clients of this variable decode only those two (release
    notes 2014.2 introduce it; that blanks arrive raw is inferred).
    """
    return ",".join(a.replace("%", "%25").replace(",", "%2C") for a in arguments)
