"""Tell whether p4d's internal map of a view may have too many rows.

p4d makes the lines of a view disjoint when it reads the map: for each include line it adds a row
for every pattern that its left side has in common with that of a later line, and for every one of
their right sides (MapTable::Disambiguate in map/mapjoin.cc of Perforce's C++ API, followed here
line by line; compared with P4.Map of P4Python 2026.1):

* It goes from the last line of the view to the first. Exclusions themselves are no rows.
* A row that is part of one of the 8 rows before it is dropped. So a line that a later line covers
  as a whole gets no rows for the lines between them, and two lines whose right sides mirror the
  left ones get their patterns once up to 9 patterns, and twice from 10 on.
* A later line with `+` makes no rows, and one with `&` only those of the right sides.
"""

from __future__ import annotations

from collections import Counter

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.common_patterns import Common, Path, common
from p4warden.forms.depot_path import MAX_DOTS, MAX_WILDCARDS, first_wildcard, wildcards
from p4warden.forms.meeting_lines import MeetingLines

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_STEPS = 1_000_000
FREE_ROWS = 4
"""Rows for each line that do not count where both lines have a wildcard only at their ends, as
where a directory is mapped elsewhere than the directory above it."""
_ROWS_COMPARED = 8
_DOUBLED_FROM = 10
_NOTHING = Common(0, is_all=False, steps=0)


class Line(NamedTuple):
    """A line of a client, branch or label view.

    Attributes:
        flag: `-`, `+`, `&` or nothing.
        left: the path on the left side, without the flag.
        right: the path on the right side; a label's line repeats the left one.
    """

    flag: str
    left: str
    right: str


def has_more_rows(lines: Sequence[Line], most: int) -> bool:
    """Tell whether p4d's map of a view may have more than `most` rows besides one for each line.

    `FREE_ROWS` are not counted. The answer is also yes if counting takes more than `MAX_STEPS`, or
    if p4d would refuse a path for the number of its wildcards.
    """
    if any(_has_too_many_wildcards(path) for line in lines for path in line[1:]):
        return True
    rows = MapRows(lines)
    for number in range(len(lines) - 1, -1, -1):
        rows.add(number)
        if rows.extra > most or rows.steps > MAX_STEPS:
            return True
    return False


class MapRows:
    """The rows of p4d's map for the lines of a view, added from the last line to the first.

    Attributes:
        count: the number of rows.
        extra: the number of rows besides one for each line, without `FREE_ROWS`.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        """Begin with no line."""
        self._lines = lines
        self._lefts, self._rights = MeetingLines(), MeetingLines()
        self._sides: dict[int, _Sides] = {}
        # The number of rows before the own row of each of the last lines, by line.
        self._before: dict[int, int] = {}
        self._free_used = Counter[int]()
        self._counting_steps = 0
        self.count = self.extra = 0

    @property
    def steps(self) -> int:
        """The number of steps that all counting so far took."""
        return self._counting_steps + self._lefts.steps + self._rights.steps

    def add(self, number: int) -> None:
        """Add the rows of the view's line with this number, after those of all later lines."""
        line = self._lines[number]
        if line.flag != "-":
            self._before = {n: rows for n, rows in self._before.items() if self._is_recent(n)}
            self._add_rows(number)
            self._before[number] = self.count
            self.count += 1
        if line.flag != "+":
            self._rights.add(line.right, number)
        if line.flag not in ("+", "&"):
            self._lefts.add(line.left, number)

    def _add_rows(self, number: int) -> None:
        line = self._lines[number]
        meeting = {*self._lefts.beside(line.left), *self._rights.beside(line.right)}
        if any(later in meeting and self._covers(later, number) for later in self._before):
            return
        before = None
        for later in sorted(meeting, reverse=True):
            # Lines that repeat the one before add no rows.
            if self._lines[later] != before:
                rows, is_all = self._rows_for(number, later)
                self.count += rows
                self.extra += rows - self._free(rows, number, later)
                if is_all or self.steps > MAX_STEPS:
                    return
            before = self._lines[later]

    def _is_recent(self, later: int) -> bool:
        before = self._before.get(later)
        return before is not None and self.count - before <= _ROWS_COMPARED

    def _of(self, number: int) -> _Sides:
        if number not in self._sides:
            self._sides[number] = _Sides(self._lines[number])
        return self._sides[number]

    def _covers(self, later: int, number: int) -> bool:
        one, other = self._of(number), self._of(later)
        return one.mirror == other.mirror and one.left.common(other.left).is_all

    def _rows_for(self, number: int, later: int) -> tuple[int, bool]:
        """Return the number of rows for a line and a later one, and whether it covers the line."""
        one, other = self._of(number), self._of(later)
        is_mirror = one.mirror == other.mirror
        if is_mirror and self._is_recent(later):
            return 0, False
        lefts = one.left.common(other.left) if self._lines[later].flag != "&" else _NOTHING
        is_once = lefts.is_all or (is_mirror and lefts.patterns > 0)
        rights = _NOTHING if is_once else one.right.common(other.right)
        self._counting_steps += lefts.steps + rights.steps
        rows = lefts.patterns + rights.patterns
        is_twice = is_mirror and lefts.patterns >= _DOUBLED_FROM
        return rows * (2 if is_twice else 1), lefts.is_all or rights.is_all

    def _free(self, rows: int, number: int, later: int) -> int:
        """Return how many of a later line's rows do not count, and remember that they are used."""
        is_plain = self._of(number).is_plain and self._of(later).is_plain
        # The first row for an exclusion stands for the exclusion.
        free = FREE_ROWS if is_plain else int(self._lines[later].flag == "-")
        free = max(min(free - self._free_used[later], rows), 0)
        self._free_used[later] += free
        return free


class _Sides:
    """Both sides of a view's line.

    `mirror` has the beginnings of both sides, before the text at their ends that is the same.
    """

    def __init__(self, line: Line) -> None:
        self.mirror = _beginnings(line.left, line.right)
        self.left, self.right = _Side(line.left), _Side(line.right)
        self.is_plain = self.left.literal is not None and self.right.literal is not None


class _Side:
    """One side of a view's line.

    `literal` is the text before a `...` that is the path's only wildcard and its end, else None.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        literal = path.removesuffix("...")
        self.literal = None if literal == path or first_wildcard(literal) else literal
        self._cut: Path | None = None

    def common(self, other: _Side) -> Common:
        if self.literal is None or other.literal is None:
            return common(self.cut(), other.cut())
        is_all = self.literal.startswith(other.literal)
        is_part = is_all or other.literal.startswith(self.literal)
        return Common(int(is_part), is_all, steps=1)

    def cut(self) -> Path:
        if self._cut is None:
            self._cut = Path(self._path)
        return self._cut


def _beginnings(left: str, right: str) -> tuple[str, str]:
    same = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        same += 1
    return left[: len(left) - same], right[: len(right) - same]


def _has_too_many_wildcards(path: str) -> bool:
    return path.count("...") > MAX_DOTS or sum(1 for _ in wildcards(path)) > MAX_WILDCARDS
