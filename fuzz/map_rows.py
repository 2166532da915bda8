"""Fuzz campaign on the rows of p4d's map, counted by both languages: the counts must be the same.

`view_rows.py` compares Python's count with P4.Map.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import view_rows
from campaign import Campaign, CampaignResult, finding

from support import form_oracle

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from p4warden.forms.map_rows import Line

STEP = 100
_FLAGS = ("", "", "-", "+", "&")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Compare the rows of random views without end; yield the results in batches."""
    with contextlib.closing(form_oracle.Rust()) as rust:
        while True:
            questions = [_question(random) for _ in range(STEP)]
            differences = form_oracle.differences(rust, questions)
            problems = (finding("languages differ", **difference) for difference in differences)
            yield CampaignResult(STEP, tuple(problems))


def _question(random: random.Random) -> dict[str, Any]:
    lines = view_rows.view(random)[: random.choice((2, 4, 8, 30))]
    if random.random() < 0.5:
        lines = [_mixed(random, lines, line) for line in lines]
    return {"ask": "rows", "lines": lines, "most": random.choice((0, 5, 50, 1000))}


def _mixed(random: random.Random, lines: list[Line], line: Line) -> Line:
    """Return a line with another flag, or a side of another line, or a whole other line."""
    other, kind = random.choice(lines), random.random()
    if kind < 0.2:
        return other
    if kind < 0.4:
        return line._replace(flag=random.choice(_FLAGS))
    return line._replace(right=random.choice((line.left, line.right, other.right)))


CAMPAIGN = Campaign("map-rows", "views", runs, 200_000)
