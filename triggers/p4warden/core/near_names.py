"""Strict: a name may be correct though unknown; `policy.suggested_words.nearest` is generous."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONG = 8
_SHORTEST = 3


def plain(name: str) -> str:
    """Return a name in lower case, without hyphens, underscores, blanks and dots."""
    return "".join(character for character in name.lower() if character not in "-_ .")


def nearest_spelling(name: str, names: Iterable[str]) -> str | None:
    """Return the known name nearest to a name; None if more than typing errors separate them.

    A typing error is one character too many, missing, wrong or swapped with its neighbour. Up to 2
    characters may have none, 8 or more two, others one.
    """
    target = plain(name)
    most = 0 if len(target) < _SHORTEST else 1 if len(target) < _LONG else 2
    ranking = sorted((distance(target, plain(one), most), one) for one in names)
    return ranking[0][1] if ranking and ranking[0][0] <= most else None


def distance(one: str, other: str, most: int) -> int:
    """Return the number of typing errors between two names; any number above `most` if more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, character in enumerate(one, start=1):
        last, row, earlier = row, [i], before
        for j, its in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (character != its))
            if i > 1 and j > 1 and character == other[j - 2] and one[i - 2] == its:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]
