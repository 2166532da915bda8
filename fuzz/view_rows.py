"""Fuzz campaign on the rows of p4d's map: count them for random views, and compare with P4.Map.

The oracle joins every two lines, so views are small. A count is a problem if it is less than a
tenth of the oracle's, or more than ten times as much (in views with few rows, more than `_SMALL`).
Where no names of two lines are equal, so that no pieces overlap, it must be the same. Where lines
have sides of other lines, which p4d would refuse, it may be more.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from campaign import Campaign, CampaignResult, finding

from support.form_oracle import Core
from vendor import Vendor

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 200
_SMALL = 50
_NAMES = ("a", "b", "src", "X")
_DISTINCT = ("X", "*/X", "X/*/Y", ".../X", "*/X/*/Y", "%%1/X", "X/.../Y", "X/%%1")
_BESIDE = ("**", "*...", "...*", "......", "....", "*%%", "1*", "1...", "...%%")
_FLAGS = ("", "", "-", "+", "&")


class Line(NamedTuple):
    flag: str
    left: str
    right: str


class View(NamedTuple):
    lines: list[Line]
    kind: str  # plain, distinct or mixed
    most: int


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Compare the rows of random views without end; yield the results in batches."""
    with contextlib.closing(Vendor()) as vendor, contextlib.closing(Core()) as core:
        while True:
            views = [_view(random) for _ in range(STEP)]
            questions = [{"ask": "rows", "lines": one.lines, "most": one.most} for one in views]
            compared = zip(views, core.ask_all(questions), strict=True)
            problems = (
                one for view, counts in compared for one in _problems(view, counts, vendor)
            )
            yield CampaignResult(STEP, tuple(problems))


def _view(random: random.Random) -> View:
    most = random.choice((0, 5, 50, 1000))
    if random.random() < 0.2:
        return View(_distinct_view(random), "distinct", most)
    lines = view(random)
    if random.random() < 0.5:
        return View(lines, "plain", most)
    return View([_mixed(random, lines, line) for line in lines], "mixed", most)


def _problems(view: View, counts: list[Any], vendor: Vendor) -> Iterator[dict[str, Any]]:
    [counted, extra, has_more] = counts
    rows = vendor.ask(rows=[[line.flag + line.left, line.right] for line in view.lines])
    details = {**view._asdict(), "rows": rows, "counts": counts}
    if counted is None:
        yield finding("not counted", **details)
        return
    if has_more != (extra > view.most):
        yield finding("more than it counts", **details)
    if rows is ...:
        return
    if view.kind == "distinct" and counted != rows:
        yield finding("not exact", **details)
    elif 10 * counted < rows:
        yield finding("counted too low", **details)
    elif view.kind == "plain" and counted > max(10 * rows, _SMALL):
        yield finding("counted too high", **details)


def view(random: random.Random) -> list[Line]:
    """Return a view of paths with wildcards, some of them in many copies with other names."""
    lines: list[Line] = []
    for _ in range(random.randint(1, 4)):
        path, flag = _path(random), random.choice(("", "", "-", "-", "+", "&"))
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


def _distinct_view(random: random.Random) -> list[Line]:
    """Return a view in which no name is in two lines or twice in one."""
    lines: list[Line] = []
    for _ in range(random.randint(1, 3)):
        flag, names = random.choice(("", "", "-")), random.choice(_DISTINCT)
        for copy in range(random.randint(1, 14)):
            number = f"q{len(lines):03}"
            path = f"//d/{names}/...".replace("X", f"{number}x").replace("Y", f"{number}y{copy}z")
            lines.append(Line(flag, path, path.replace("//d", "//ws", 1)))
    random.shuffle(lines)
    return lines


def _path(random: random.Random) -> str:
    """Return a path that a server accepts: at most three `...`, no wildcards side by side."""
    while True:
        names = (_name(random) for _ in range(random.randint(1, 5)))
        path = "/".join(("//d", *names)) + random.choice(("", "/..."))
        is_valid = path.count("...") <= 3 and path.count("%%1") <= 1
        if is_valid and not any(pair in path for pair in _BESIDE):
            return path


def _name(random: random.Random) -> str:
    name, wildcard = random.choice(_NAMES), random.choice(("*", "*", "...", "%%1"))
    return random.choice((name, name, name, wildcard, name + wildcard, wildcard + name))


CAMPAIGN = Campaign("view-rows", "views", runs, 200_000)
