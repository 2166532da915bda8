from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

Path = tuple[str | int, ...]


class Mark(NamedTuple):
    """A position in a policy's YAML file; line and column count from 1."""

    line: int
    column: int


START = Mark(1, 1)


class Problem(NamedTuple):
    """An error in a policy, or a warning about one.

    Attributes:
        path: the keys and list indexes that lead to the value, such as `("rules", 2, "mode")`.
        text: the problem, usually with the correction in parentheses.
        key: whether the problem is about the last key of the path, not about its value.
    """

    path: Path
    text: str
    key: bool = False


class LocatedProblem(NamedTuple):
    """A policy's problem with its position in the YAML file; such records sort in file order."""

    mark: Mark
    path: Path
    text: str

    def line(self, file: str, kind: str = "") -> str:
        where = f"{file}:{self.mark.line}:{self.mark.column}: {kind}"
        path = render(self.path)
        text = f"{where}{path}: {self.text}" if path else f"{where}{self.text}"
        return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


class UnreadablePolicyError(Exception):
    """Error: a file cannot be read as a policy at all.

    `problem` has the position and the reason.
    """

    def __init__(self, text: str, mark: Mark = START) -> None:
        super().__init__(text)
        self.problem = LocatedProblem(mark, (), text)


def render(path: Path) -> str:
    """Return a path of policy keys in its usual notation: `rules[2].mode`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def entries(document: object, key: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the mappings in one list of a document of any shape, each with its path."""
    for index, entry in enumerate(listed(document.get(key) if isinstance(document, dict) else ())):
        if isinstance(entry, dict):
            yield (key, index), entry


def listed(value: object) -> list[Any]:
    """Return a list as it is, and an empty one for any other value."""
    return value if isinstance(value, list) else []
