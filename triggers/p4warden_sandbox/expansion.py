from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def expand(command: str, variables: Mapping[str, str], unknown: str = "left") -> str:
    """Return a trigger's command with each known `%name%` replaced by the variable's value.

    `%%` stands for one `%`, and an unpaired `%` is dropped. Values are not expanded again
    (Perforce API source support/strops.cc, StrOps::Expand). `unknown` is a value of the variant
    `unknown-variables`; `removed` removes an unknown `%name%` together with its word.
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
