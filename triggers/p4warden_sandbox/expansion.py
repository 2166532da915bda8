"""Expand `%name%` in a trigger's command, before the command is split into words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def expand(command: str, variables: Mapping[str, str], unknown: str = "left") -> str:
    """Return the command with every known `%name%` replaced by its value.

    `%%` stands for one `%`, and an unpaired `%` is dropped. Values are not expanded again.
    (Perforce API source support/strops.cc, StrOps::Expand.)

    Args:
        command: the command, as in the table.
        variables: the variables' values, by name.
        unknown: a value of the variant `unknown-variables`: an unknown name is `left` unchanged,
            `emptied`, or `removed` with the word that holds it.
    """
    if unknown == "removed":
        words = command.split(" ")
        return " ".join(_expand(w, variables, "") for w in words if not _unknown(w, variables))
    return _expand(command, variables, "%{}%" if unknown == "left" else "")


def _expand(command: str, variables: Mapping[str, str], unknown: str) -> str:
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


def _unknown(word: str, variables: Mapping[str, str]) -> bool:
    return any(name and name not in variables for name in word.split("%")[1:-1:2])
