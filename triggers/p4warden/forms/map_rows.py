"""Tell whether p4d's internal map of a view may have too many rows.

p4d makes the lines of a view disjoint when it reads the map (map/mapdisambig.cc of Perforce's C++
API): for an include line and a later include or exclusion line that can match one file, it adds a
row for each pattern that both have in common. The number of such patterns was measured with that
map (P4.Map of P4Python 2026.1):

* Cut each path at its wildcards into literal pieces. A common pattern is a merge of both lists of
  pieces: each list keeps its order, and two neighbours of different lists may stand apart or
  overlap (`/a/` and `/b/` give `/a/.../b/` and `/a/b/`). So `//depot/.../a/...` and
  `//depot/.../b/...` have 4 common patterns.
* Of the two starts (the text before the first wildcard) the longer one is the pattern's start, of
  the two ends the longer one its end. There is no common pattern if neither start begins with the
  other, or neither end ends with the other.
* Two equal paths have one common pattern.
* From 10 patterns on the map has two rows for each pattern.
* In a view without exclusions the first 9 include lines are not compared with each other.
  Exclusions before the first include line are ignored.

Lines with a wildcard only at their end make one row each, however many there are (1,500 exclusions
below one line are 1,501 rows), and are not compared with each other.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import dropwhile, product

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.forms.depot_path import MAX_DOTS, MAX_WILDCARDS, WILDCARD, is_embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MAX_PAIRS = 100_000
_NOT_COMPARED = 9
_DOUBLED_FROM = 10
_MANY = 10_000
"""Largest number of common patterns counted for two view lines; also the number assumed if one
of them has too many wildcards.
"""

_WILDCARD = re.compile(WILDCARD)
_LONG_PIECE = 256
_LAST = chr(0x10FFFF)


class Line(NamedTuple):
    """A line of a client, branch or label view, prepared for comparison.

    Attributes:
        number: position of the line in the view.
        path: the depot path without its flag.
        is_exclusion: whether the line is an exclusion.
    """

    number: int
    path: str
    is_exclusion: bool


class _Cut(NamedTuple):
    """A view line whose depot path is cut at the wildcards into literal pieces."""

    line: Line
    start: str
    inner_pieces: tuple[str, ...]
    end: str
    wildcards: tuple[str, ...]
    is_multiplying: bool


def has_more_rows(lines: Iterable[Line], most: int) -> bool:
    """Tell whether p4d's map of a view may have more than `most` rows besides one for each line.

    The answer is also yes if more than `MAX_PAIRS` pairs of the view's lines must be compared.

    Args:
        lines: a view's lines in form order.
        most: the largest accepted number of additional rows.
    """
    cuts = [_cut(line) for line in dropwhile(lambda line: line.is_exclusion, lines)]
    uncompared_count = 0 if any(cut.line.is_exclusion for cut in cuts) else _NOT_COMPARED
    first = {cut.line.number for cut in cuts[:uncompared_count]}
    extra, met_numbers = 0, set[int]()
    for number, (one, other) in enumerate(_pairs(cuts), 1):
        behind = other.line
        if behind.number not in first:
            rows = patterns(one, other)
            # In p4d's map, the first row of an exclusion is the line itself; only additional rows
            # are counted.
            own = behind.is_exclusion and rows > 0 and behind.number not in met_numbers
            met_numbers.add(behind.number)
            extra += rows * (2 if rows >= _DOUBLED_FROM else 1) - own
        if extra > most or number > MAX_PAIRS:
            return True
    return False


def patterns(one: _Cut, other: _Cut) -> int:
    """Return the number of common patterns of two view lines in p4d's map, at most `_MANY`.

    The number may be too large.
    """
    if not one.wildcards or not other.wildcards:
        return 1
    starts_agree = one.start.startswith(other.start) or other.start.startswith(one.start)
    ends_agree = one.end.endswith(other.end) or other.end.endswith(one.end)
    if not starts_agree or not ends_agree or not _may_share_directories(one, other):
        return 0
    if one.line.path == other.line.path:
        return 1
    if max(len(one.inner_pieces), len(other.inner_pieces)) >= MAX_WILDCARDS:
        return _MANY
    return min(_merges(_pieces(one, other), _pieces(other, one)), _MANY)


class _Pieces(NamedTuple):
    """Literal pieces of a view line's path, to count its common patterns with another path.

    Attributes:
        pieces: the texts between the path's wildcards, in path order; at the path's start and end
            only the text by which it is longer than the other path's.
        gaps: the path's wildcards; each stands after the piece of the same index if `is_first`,
            else before it.
        is_first: whether the first piece comes before all pieces of the other path.
        is_last: whether the last piece comes after all pieces of the other path.
    """

    pieces: tuple[str, ...]
    gaps: tuple[str, ...]
    is_first: bool
    is_last: bool

    def may_match(self, used_count: int, text: str) -> bool:
        """Tell whether the wildcard after the first `used_count` literal pieces matches a text.

        Only a last wildcard `*` or `%%N` does not match a text with a slash: after any other,
        later parts of the path can match the rest of the text.
        """
        is_last = used_count == len(self.pieces)
        return not is_last or self.gaps[used_count - self.is_first] == "..." or "/" not in text

    def may_follow(self, used_count: int, text: str) -> bool:
        """Tell whether, in a common pattern, a piece may come after a text of the other path.

        `used_count` is the index of the piece in this path. Only the first piece can be
        impossible: the path's first wildcard, if it comes before that piece, must match the text.
        """
        return used_count > 0 or self.is_first or self.gaps[0] == "..." or "/" not in text

    def is_next(self, used_count: int, other: _Pieces, other_used: int) -> bool:
        """Tell whether this path's piece at index `used_count` may come next in a common pattern.

        The pattern begins with the other path's first piece if `other.is_first`, and ends with
        this path's last piece if `is_last`.
        """
        if used_count == len(self.pieces) or (other.is_first and not other_used):
            return False
        is_last_piece = self.is_last and used_count == len(self.pieces) - 1
        return not is_last_piece or other_used == len(other.pieces)


def _pieces(one: _Cut, other: _Cut) -> _Pieces:
    start = one.start[len(other.start) :]
    end = one.end[: max(len(one.end) - len(other.end), 0)]
    pieces = ((start,) if start else ()) + one.inner_pieces + ((end,) if end else ())
    return _Pieces(pieces, one.wildcards, bool(start), bool(end))


def _merges(one: _Pieces, other: _Pieces) -> int:
    """Count the merges of two view paths' literal pieces, including those with overlaps."""
    sides, total = (one, other), (len(one.pieces), len(other.pieces))
    # Number of ways to merge the first N pieces of path 0 with the first M pieces of path 1, by
    # (N, M, path of the last piece in the merge).
    ways: dict[tuple[int, int, int], int] = {(0, 0, 0): 1}
    places = product(range(total[0] + 1), range(total[1] + 1), (0, 1), (0, 1))
    for used_one, used_other, last, side in places:
        count, used_pieces = ways.get((used_one, used_other, last), 0), (used_one, used_other)
        beside, own, others = sides[1 - side], used_pieces[side], used_pieces[1 - side]
        if not count or not sides[side].is_next(own, beside, others):
            continue
        piece = sides[side].pieces[own]
        after = (used_one + (side == 0), used_other + (side == 1))
        before = beside.pieces[others - 1] if others else ""
        step = int(beside.may_match(others, piece) and sides[side].may_follow(own, before))
        if side != last and others:
            step += _overlaps(piece, beside, others, sides[side], own)
            # The text of a piece may also occur inside the other path's previous piece, which then
            # remains the last piece of the merge.
            within = count * _places(piece, before, behind_slash=sides[side].may_follow(own, "/"))
            ways[(*after, last)] = ways.get((*after, last), 0) + within
        ways[(*after, side)] = ways.get((*after, side), 0) + count * step
    return sum(ways.get((*total, last), 0) for last in (0, 1))


def _overlaps(piece: str, beside: _Pieces, used_count: int, own_pieces: _Pieces, own: int) -> int:
    """Count the overlaps of a literal piece with the end of the other path's last merged piece.

    Also count how often that piece is contained in the literal piece. If both are long, return the
    number of conceivable overlaps.
    """
    before = beside.pieces[used_count - 1]
    longest = min(len(before), len(piece) - 1)
    if longest > _LONG_PIECE:
        return longest
    overlapping = sum(
        before.endswith(piece[:length])
        and beside.may_match(used_count, piece[length:])
        and own_pieces.may_follow(own, before[:-length])
        for length in range(1, longest + 1)
    )
    return overlapping + piece[1:].count(before)


def _places(piece: str, before: str, *, behind_slash: bool) -> int:
    """Count how often a literal piece of one path occurs in a piece of the other path.

    Unless `behind_slash`, only occurrences that begin up to the first slash are counted.
    """
    slash = -1 if behind_slash else before.find("/")
    return (before if slash < 0 else before[: slash + len(piece)]).count(piece)


def _may_share_directories(one: _Cut, other: _Cut) -> bool:
    """Tell whether two view paths may match one file; False only if two literal names differ."""
    for left, right in zip(one.line.path.split("/"), other.line.path.split("/"), strict=False):
        if "..." in left or "..." in right:
            return True
        if left != right and not _WILDCARD.search(left) and not _WILDCARD.search(right):
            return False
    return True


def _cut(line: Line) -> _Cut:
    start, *rest = _WILDCARD.split(line.path)
    inner, end = tuple(rest[:-1]), rest[-1] if rest else ""
    too_wild = len(rest) > MAX_WILDCARDS or line.path.count("...") > MAX_DOTS
    multiplies = too_wild or is_embedded(line.path) or any(p and "/" not in p for p in inner)
    return _Cut(line, start, inner, end, (*_WILDCARD.findall(line.path),), multiplies)


class _LinesByStart:
    """View lines sorted by text before the first wildcard, to find lines that may overlap."""

    def __init__(self, cuts: Iterable[_Cut]) -> None:
        self._cuts = sorted(cuts, key=lambda cut: cut.start)
        self._starts = [cut.start for cut in self._cuts]
        self._lengths = sorted({len(start) for start in self._starts})

    def beside(self, start: str) -> Iterator[_Cut]:
        """Yield view lines whose literal start begins with `start` or is its beginning."""
        for length in self._lengths[: bisect_left(self._lengths, len(start))]:
            yield from self._between(start[:length], bisect_right)
        yield from self._between(start, lambda starts, s: bisect_left(starts, s + _LAST))

    def _between(self, start: str, end: Callable[[list[str], str], int]) -> list[_Cut]:
        return self._cuts[bisect_left(self._starts, start) : end(self._starts, start)]


def _pairs(cuts: Sequence[_Cut]) -> Iterator[tuple[_Cut, _Cut]]:
    """Yield each pair of an include line and a later view line that may add rows to p4d's map."""
    every = _LinesByStart(cuts)
    including = _LinesByStart(cut for cut in cuts if not cut.line.is_exclusion)
    for cut in cuts:
        if not cut.is_multiplying:
            continue
        for other in (including if cut.line.is_exclusion else every).beside(cut.start):
            is_behind = other.line.number > cut.line.number
            one, behind = (cut, other) if is_behind else (other, cut)
            is_once = is_behind or not other.is_multiplying
            if is_once and not one.line.is_exclusion and one is not behind:
                yield one, behind
