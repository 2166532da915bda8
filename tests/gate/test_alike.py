"""Tests that the four subjects of events are treated alike where they are alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.program import judge, policy

DOCUMENT = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "alike" / "subjects.yaml").read_text("utf-8")
)
NOON_S = 1_795_694_400  # 2026-11-26, UTC


@pytest.mark.parametrize("subject", DOCUMENT["subjects"])
@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_each_subject_is_judged_alike(case: dict[str, Any], subject: str) -> None:
    own = DOCUMENT["subjects"][subject]
    rule = {"name": "r", "mode": "enforce", **own["rule"], **case.get("rule", {})}
    exemptions = [
        {"reason": "r", "owner": "o", **_exemption(dict(one))}
        for one in [case.get("exemption")]
        if one
    ]
    event = DOCUMENT["sender"] | own["event"] | {"time": NOON_S} | case.get("event", {})
    [answer], _ = judge(policy(rule, exemptions=exemptions), [event])
    expected, _ = case.get("but", {}).get(subject, (case["verdict"], None))
    assert answer["verdict"] == expected, answer


def _exemption(fields: dict[str, Any]) -> dict[str, Any]:
    until = fields.pop("until", None)
    return {"for": fields} | ({"until": until} if until else {})
