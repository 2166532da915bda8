"""Find the lines of a view that may have a file in common with a further line, by directory names.

A tree of path components; without it, each line would be compared with all lines before it.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.forms.depot_path import first_wildcard

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Directory:
    """The lines below one place of the tree.

    Attributes:
        names: the directories below, by literal name.
        patterns: the directories below, by name with a wildcard other than `...`.
        open_lines: lines with a `...` in this place, each with the literal text before it.
        lines: lines that end here.
    """

    __slots__ = ("lines", "names", "open_lines", "patterns")

    def __init__(self) -> None:
        self.names: dict[str, _Directory] = {}
        self.patterns: dict[str, _Directory] = {}
        self.open_lines: list[tuple[str, int]] = []
        self.lines: list[int] = []


class MeetingLines:
    """Paths of a view's lines, by number, and a search for those that may meet another path.

    Attributes:
        steps: the number of directories that all searches so far have visited.
    """

    def __init__(self) -> None:
        """Begin without lines."""
        self._root = _Directory()
        self.steps = 0

    def add(self, path: str, number: int) -> None:
        """Add a line's path, without its flag, under the line's number."""
        directory = self._root
        for name in path.split("/"):
            if "..." in name:
                directory.open_lines.append((_literal(name), number))
                return
            below = directory.names if _literal(name) == name else directory.patterns
            directory = below.setdefault(name, _Directory())
        directory.lines.append(number)

    def beside(self, path: str) -> Iterator[int]:
        """Yield the numbers of the lines that may meet a path; the others certainly do not."""
        names = path.split("/")
        places = [(self._root, 0)]
        while places:
            directory, depth = places.pop()
            self.steps += 1
            if depth == len(names):
                yield from directory.lines
                continue
            name = names[depth]
            literal = _literal(name)
            for start, number in directory.open_lines:
                if start.startswith(literal) or literal.startswith(start):
                    yield number
            if "..." in name:
                yield from self._below(directory, literal)
            else:
                is_literal = len(literal) == len(name)
                places += [(below, depth + 1) for below in _matching(directory, name, is_literal)]

    def _below(self, directory: _Directory, literal: str) -> Iterator[int]:
        """Yield all lines below the directories whose names may begin with a literal text."""
        places = [below for name, below in directory.names.items() if name.startswith(literal)]
        places += directory.patterns.values()
        self.steps += len(directory.names)
        while places:
            place = places.pop()
            self.steps += 1
            yield from place.lines
            yield from (number for _, number in place.open_lines)
            places += [*place.names.values(), *place.patterns.values()]


def _matching(directory: _Directory, name: str, is_literal: bool) -> Iterator[_Directory]:  # noqa: FBT001
    yield from directory.patterns.values()
    if not is_literal:
        yield from directory.names.values()
    elif name in directory.names:
        yield directory.names[name]


def _literal(name: str) -> str:
    if "*" not in name and "%%" not in name and "..." not in name:
        return name
    wildcard = first_wildcard(name)
    return name[: wildcard[0]] if wildcard else name
