"""Tests that a depot of its own is advised for a new product where the policy allows one more."""

from __future__ import annotations

from typing import Any

import pytest

from support.judged import judging_by

TOPS = {"name": "few-tops", "rule": "limit_top_directories", "mode": "enforce", "max": 2}
DEPOTS = {
    "depot": {"type": "local", "directories": ["main", "rel"]},
    "specs": {"type": "spec", "directories": []},
}
ADVICE = (
    ". Move the new files to an existing directory, or ask the contact below for a depot of its "
    "own for a new product, as the Perforce Performance Lab advises (2009).\n"
)


def refusal(*limits: dict[str, Any]) -> str:
    rules = [TOPS]
    for number, limit in enumerate(limits):
        rules.append({"name": f"depots-{number}", "rule": "limit_depot_count", **limit})
    event = {
        "event": "change-submit",
        "change": "12",
        "files": [{"path": "//depot/new/a.c", "action": "add"}],
        "facts": {"depots": DEPOTS},
        "time": 1_800_000_000,
    }
    with judging_by({"rules": rules}, flags=("texts",)) as judge:
        return str(judge.ask(event)["text"])


@pytest.mark.parametrize(
    ("limits", "is_advised"),
    [
        ([], True),
        ([{"mode": "enforce", "max": 3}], True),
        ([{"mode": "enforce", "max": 2}], False),
        ([{"mode": "observe", "max": 2}], False),
        ([{"mode": "off", "max": 2}], True),
        ([{"mode": "enforce", "max": 9}, {"mode": "enforce", "max": 2}], False),
        ([{"mode": "enforce", "max_by_type": {"local": 1}}], False),
        ([{"mode": "enforce", "max_by_type": {"local": 2}}], True),
        ([{"mode": "enforce", "max_by_type": {"stream": 0}}], True),
    ],
)
def test_one_more_depot_is_advised_where_the_policy_allows_it(
    limits: list[dict[str, Any]], *, is_advised: bool
) -> None:
    text = refusal(*limits)
    assert "p4 move -c 12 //depot/new/... //depot/main/new/..." in text
    assert (ADVICE in text) == is_advised
