"""Count the patterns that two paths with wildcards have in common, as p4d's map joins them.

p4d joins two paths letter by letter, and retries each wildcard with one more letter until all ways
are found (MapHalf::Join in map/maphalf.cc of Perforce's C++ API). Each way is one pattern:
`//depot/.../a/...` and `//depot/.../b/...` have 4. The ways are counted here without writing the
patterns, in steps bounded by the product of both lengths.
"""

from __future__ import annotations

import re

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.depot_path import WILDCARD

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART = re.compile(rf"{WILDCARD}|.", re.DOTALL)
_END = ""
# Characters that are no letters of a name, or can be parts of a wildcard.
_KEPT = ("/", "*", ".", "%", _END)
# What happens next at a pair of positions: both paths go on, or the wildcard of the first or of
# the second path takes one more part of the other path.
_BOTH, _FIRST, _SECOND = range(3)
# More patterns than this, and than `_FEW`, are written and compared only in part.
_MOST_WRITTEN = 64
_FEW = 4
# Steps for each letter of a pattern that is written and compared.
_WRITING_STEPS = 4
_MOST_KNOWN = 4096


class Path:
    """A path cut into letters and wildcards.

    Attributes:
        parts: the letters and wildcards, then an empty text as the end.
        is_wild: whether each part is a wildcard.
        start: the number of letters before the first wildcard.
    """

    __slots__ = ("is_wild", "parts", "start")

    def __init__(self, text: str) -> None:
        """Cut a path without its flag."""
        self.parts = (*_PART.findall(text), _END)
        self.is_wild = tuple(len(part) > 1 or part == "*" for part in self.parts)
        self.start = self.is_wild.index(True) if True in self.is_wild else len(text)


class Common(NamedTuple):
    """The patterns that two paths have in common.

    Attributes:
        patterns: their number.
        is_all: whether the first path is a part of the second one.
        steps: the number of steps that counting took.
    """

    patterns: int
    is_all: bool
    steps: int


def common(one: Path, other: Path) -> Common:
    """Count the patterns that two paths have in common."""
    start = min(one.start, other.start)
    if one.parts[:start] != other.parts[:start]:
        return Common(0, is_all=False, steps=1)
    # Paths with other names count alike, so views of many similar lines are counted once.
    key = _renamed(one.parts[start:], other.parts[start:])
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = _counted(one, other, start)
        return _known[key]
    return _known[key]._replace(steps=len(key))


_known: dict[tuple[str | int, ...], Common] = {}


def _renamed(*paths: tuple[str, ...]) -> tuple[str | int, ...]:
    """Return the parts of both paths with a number for each letter."""
    numbers: dict[str, int] = {}
    return tuple(
        part if len(part) > 1 or part in _KEPT else numbers.setdefault(part, len(numbers))
        for path in paths
        for part in path
    )


def _counted(one: Path, other: Path, start: int) -> Common:
    ways, steps = _ways(one, other, start)
    is_all = ways > 0 and _contains(other, one)
    # p4d drops patterns that are part of a row before them.
    if is_all or (ways > 1 and _contains(one, other)):
        return Common(1, is_all, steps)
    if ways <= _FEW:
        return Common(ways, is_all, steps)
    kept, written = _kept(one, other, start)
    steps += _WRITING_STEPS * written * len(one.parts)
    return Common(max(ways * kept // written, kept), is_all, steps)


def _kept(one: Path, other: Path, start: int) -> tuple[int, int]:
    """Write the first patterns; return how many no other one contains, and how many they are."""
    patterns: dict[tuple[str, ...], Path] = {}
    written = 0
    places = [(start, start, _BOTH, one.parts[:start])]
    while places and written < _MOST_WRITTEN:
        at, beside, way, parts = places.pop()
        if at == len(one.parts) - 1 and beside == len(other.parts) - 1:
            written += way == _BOTH
            if way == _BOTH and parts not in patterns:
                patterns[parts] = Path("".join(parts))
            continue
        for next_at, next_beside, then in _moves(one, other, at, beside, way):
            part = _emitted(one, other, at, beside, (next_at, next_beside, then))
            places.append((next_at, next_beside, then, (*parts, part) if part else parts))
    kept: list[Path] = []
    for path in sorted(patterns.values(), key=lambda path: len(path.parts)):
        if not any(_contains(wider, path) for wider in kept):
            kept.append(path)
    return len(kept), max(written, 1)


def _emitted(one: Path, other: Path, at: int, beside: int, move: tuple[int, int, int]) -> str:
    """Return what a move adds to a pattern: a letter, a wildcard, or nothing."""
    if one.is_wild[at] and other.is_wild[beside]:
        both = (one.parts[at], other.parts[beside])
        return "..." if both == ("...", "...") else "*"
    if one.is_wild[at]:
        return other.parts[beside] if move[1] > beside else ""
    return one.parts[at] if move[0] > at else ""


def _ways(one: Path, other: Path, start: int) -> tuple[int, int]:
    # By the sum of both positions: the ways to (position in the first path, what happens next).
    ways: dict[int, dict[tuple[int, int], int]] = {2 * start: {(start, _BOTH): 1}}
    end = len(one.parts) + len(other.parts) - 2
    steps = 1
    for total in range(2 * start, end):
        reached = ways.pop(total, {})
        steps += len(reached)
        for (at, way), number in reached.items():
            for next_at, next_other, then in _moves(one, other, at, total - at, way):
                later = ways.setdefault(next_at + next_other, {})
                later[next_at, then] = later.get((next_at, then), 0) + number
    return ways.get(end, {}).get((len(one.parts) - 1, _BOTH), 0), steps


def _moves(
    one: Path, other: Path, at: int, beside: int, way: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the positions that follow in both paths, and what happens there."""
    if way == _FIRST:
        yield from _taken(one, at, other, beside)
    elif way == _SECOND:
        yield from _swapped(_taken(other, beside, one, at))
    elif one.is_wild[at] and other.is_wild[beside]:
        yield from _merged(at, beside)
    elif one.is_wild[at]:
        yield at + 1, beside, _BOTH
        yield from _taken(one, at, other, beside)
    elif other.is_wild[beside]:
        yield at, beside + 1, _BOTH
        yield from _swapped(_taken(other, beside, one, at))
    elif one.parts[at] == other.parts[beside] != _END:
        yield at + 1, beside + 1, _BOTH


def _taken(one: Path, at: int, other: Path, beside: int) -> Iterator[tuple[int, int, int]]:
    """Yield what follows when the wildcard of the first path takes a part of the other path."""
    if other.is_wild[beside]:
        yield from _merged(at, beside)
    elif other.parts[beside] != _END and (other.parts[beside] != "/" or one.parts[at] == "..."):
        yield at, beside + 1, _FIRST
        # p4d lets the wildcard go on up to a wildcard of the other path.
        if not other.is_wild[beside + 1]:
            yield at + 1, beside + 1, _BOTH


def _merged(at: int, beside: int) -> Iterator[tuple[int, int, int]]:
    """Yield what follows when two wildcards meet: they become one, or one of them goes on."""
    yield at + 1, beside + 1, _BOTH
    yield at, beside + 1, _FIRST
    yield at + 1, beside, _SECOND


def _swapped(moves: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    for at, beside, way in moves:
        yield beside, at, (_BOTH, _SECOND, _FIRST)[way]


def _contains(one: Path, other: Path) -> bool:
    """Tell whether every file of the second path is one of the first path."""
    matched, end = {0}, len(other.parts) - 1
    for part in one.parts[:-1]:
        if part == "...":
            matched = {*range(min(matched), end + 1)}
        elif len(part) > 1 or part == "*":
            matched |= {place for start in matched for place in _within(other, start)}
        else:
            matched = {place + 1 for place in matched if other.parts[place] == part}
        if not matched:
            return False
    return end in matched


def _within(path: Path, start: int) -> Iterator[int]:
    """Yield the positions that a wildcard `*` can reach in a path."""
    for place, part in enumerate(path.parts[start:-1], start):
        if part in ("/", "..."):
            return
        yield place + 1
