"""Fuzz campaign on the crossings of a view's lines, which must bound the rows of P4.Map's map.

The oracle joins every two lines, so views are small. The crossings are a problem if the oracle has
over ten times as many rows as there are lines and crossings, so that a view of so many crossings
passes.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from campaign import Campaign, CampaignResult, finding

from support.form_oracle import Core
from vendor import Vendor

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

STEP = 200
_TIMES = 10
_MOST = 2**64 - 1
_NAMES = ("a", "b", "src", "X")
_PIECES = ("a", "b", "aa", "ab", "*", "...")
_BESIDE = ("**", "*...", "...*", "......", "....", "*%%", "1*", "1...", "...%%")
_FLAGS = ("", "", "-", "+", "&")


class Line(NamedTuple):
    flag: str
    left: str
    right: str


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Compare the crossings of random views without end; yield the results in batches."""
    with contextlib.closing(Vendor()) as vendor, contextlib.closing(Core()) as core:
        while True:
            views = [_view(random) for _ in range(STEP)]
            questions = [{"ask": "crossings", "lines": one, "most": _MOST} for one in views]
            compared = zip(views, core.ask_all(questions), strict=True)
            problems = (one for view, count in compared for one in _problems(view, count, vendor))
            yield CampaignResult(STEP, tuple(problems))


def _view(random: random.Random) -> list[Line]:
    if random.random() < 0.3:
        return [_line_of_pieces(random) for _ in range(random.randint(2, 5))]
    lines = view(random)
    if random.random() < 0.5:
        return lines
    return [_mixed(random, lines, line) for line in lines]


def _problems(lines: list[Line], count: int | None, vendor: Vendor) -> Iterator[dict[str, Any]]:
    rows = vendor.ask(rows=[[line.flag + line.left, line.right] for line in lines])
    details = {"lines": lines, "rows": rows, "crossings": count}
    if count is None:
        yield finding("not counted", **details)
    elif rows is not ... and rows > _TIMES * (len(lines) + count):
        yield finding("counted too low", **details)


def view(random: random.Random) -> list[Line]:
    """Return a view of paths with wildcards, some of them in many copies with other names."""
    lines: list[Line] = []
    for _ in range(random.randint(1, 4)):
        path = _path(random, lambda: _name(random))
        flag = random.choice(("", "", "-", "-", "+", "&"))
        copies = random.randint(2, 40) if "X" in path else 1
        right = random.choice((path, path.replace("//d/", "//d/main/", 1)))
        for copy in range(copies):
            left, other = (side.replace("X", f"x{copy}") for side in (path, right))
            lines.append(Line(flag, left, other.replace("//d", "//ws", 1)))
    random.shuffle(lines)
    return lines


def _mixed(random: random.Random, lines: list[Line], line: Line) -> Line:
    """Return a line with another flag, or a side of another line, or a whole other line."""
    other, kind = random.choice(lines), random.random()
    if kind < 0.2:
        return other
    if kind < 0.4:
        return line._replace(flag=random.choice(_FLAGS))
    return line._replace(right=random.choice((line.left, line.right, other.right)))


def _line_of_pieces(random: random.Random) -> Line:
    """Return a line whose names repeat, so that wildcards of another can match in many ways."""
    path = _path(random, lambda: "".join(random.choices(_PIECES, k=random.randint(1, 9))))
    return Line(random.choice(_FLAGS), path, path.replace("//d", "//ws", 1))


def _path(random: random.Random, name: Callable[[], str]) -> str:
    """Return a path that a server accepts: few wildcards, and none side by side."""
    while True:
        names = (name() for _ in range(random.randint(1, 5)))
        path = "/".join(("//d", *names)) + random.choice(("", "/..."))
        is_valid = path.count("...") <= 3 and path.count("%%1") <= 1 and path.count("*") <= 6
        if is_valid and not any(pair in path for pair in _BESIDE):
            return path


def _name(random: random.Random) -> str:
    name, wildcard = random.choice(_NAMES), random.choice(("*", "*", "...", "%%1"))
    return random.choice((name, name, name, wildcard, name + wildcard, wildcard + name))


CAMPAIGN = Campaign("view-rows", "views", runs, 200_000)
