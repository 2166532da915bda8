"""Fuzz campaign on the rows of p4d's map, counted by both languages: the counts must be the same.

`view_rows.py` compares Python's count with P4.Map.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import view_rows
from campaign import Campaign, CampaignResult, finding
from p4warden.forms.map_rows import Line
from support import form_oracle

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 100
_FLAGS = ("", "", "-", "+", "&")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Compare the rows of random views without end; yield the results in batches."""
    with contextlib.closing(form_oracle.Rust()) as rust:
        while True:
            yield CampaignResult(STEP, tuple(p for _ in range(STEP) for p in _try(random, rust)))


def _try(random: random.Random, rust: form_oracle.Rust) -> Iterator[dict[str, Any]]:
    lines = view_rows.view(random)[: random.choice((2, 4, 8, 30))]
    if random.random() < 0.5:
        lines = [_mixed(random, lines, line) for line in lines]
    answers = form_oracle.rows(rust, lines, random.choice((0, 5, 50, 1000)))
    if answers.python != answers.rust:
        yield finding("rows", lines=lines, python=answers.python, rust=answers.rust)


def _mixed(random: random.Random, lines: list[Line], line: Line) -> Line:
    """Return a line with another flag, or a side of another line, or a whole other line."""
    other, kind = random.choice(lines), random.random()
    if kind < 0.2:
        return other
    if kind < 0.4:
        return line._replace(flag=random.choice(_FLAGS))
    return line._replace(right=random.choice((line.left, line.right, other.right)))


CAMPAIGN = Campaign("map-rows", "views", runs, 200_000)
