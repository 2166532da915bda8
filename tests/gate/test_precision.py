"""Test of limits near the precision of the index: a cheap command is never refused, nor a dear
one called cheap.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import judge, policy
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = ("files", "sync")
# Files between two samples of an index, of which it estimates an argument's.
PRECISION = 500
DIRECTORIES = 200
# The errors of more arguments may cancel out.
MOST_EXACT = 28
PRECISION = 500


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    draw = random.Random(28)  # noqa: S311 - reproducible test data
    return {
        f"//depot/main/d{number:03}": draw.choice((1, draw.randint(2, 249), draw.randint(1, 1500)))
        for number in range(DIRECTORIES)
    }


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, sizes: dict[str, int]) -> Path:
    folder = tmp_path_factory.mktemp("index")
    return small_index(folder, sizes, {"ws": ["//depot/... //ws/..."]})


@pytest.mark.parametrize("limit", [3, 100, 249, 400, 499, 500, 700, 2_000, 30_000])
def test_only_what_the_index_proves_is_refused(
    index: Path, sizes: dict[str, int], limit: int
) -> None:
    draw = random.Random(limit)  # noqa: S311 - reproducible test data
    events: list[dict[str, Any]] = []
    asked: list[list[str]] = []
    for number in range(400):
        count = draw.choice((1, 1, 2, 5, 28, 60, 150))
        names = draw.sample(sorted(sizes), count)
        event = {"event": "command", "command": draw.choice(COMMANDS), "user": "ann"}
        events.append(event | {"client": "ws", "args": [f"{name}/..." for name in names]})
        asked.append(names)
        if number % 10 == 0:
            events[-1]["args"] *= 3
            asked[-1] *= 3
    rule = {"name": "big", "rule": "limit_scanned_rows", "mode": "enforce", "max_files": limit}
    answers, _ = judge(policy(rule | {"commands": COMMANDS}), events, f"--index={index}")
    verdicts = Counter(answer["verdict"] for answer in answers)
    for names, answer in zip(asked, answers, strict=True):
        exact = sum(sizes[name] for name in names)
        error = len(names) * (PRECISION - 1)
        text = (answer, exact, len(names))
        assert answer["verdict"] != "refuse" or exact > limit, text
        assert answer["verdict"] != "allow" or exact <= limit, text
        assert exact <= answer["value"], text
        assert answer["value"] <= exact + error, text
        assert answer["verdict"] == "refuse" or exact <= limit + error, text
        assert answer["verdict"] == "allow" or exact + error > limit, text
        if len(set(names)) > MOST_EXACT:
            assert answer["value"] < exact + error // 2, text
    assert verdicts["refuse"] > 0
    assert verdicts["allow"] > 0 or limit < PRECISION
