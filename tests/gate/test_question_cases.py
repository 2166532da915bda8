"""Tests of the questions that rates count by `args` and `shape`, judged by the built gate.

`cargo test` runs the same cases.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.judge import judge
from gate.program import policy, rate, rule

FILE = Path(__file__).parents[1] / "cases" / "questions" / "questions.json"
GROUPS = json.loads(FILE.read_text("utf-8"))["groups"]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["name"])
def test_spellings_of_a_question_count_together(group: dict[str, Any], tmp_path: Path) -> None:
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps(group.get("facts", {})))
    entries = [*group["spellings"], *group["others"]]
    common = {"event": "command", "user": "ann", "time": 1000} | group["event"]
    events = [common | entry for entry in entries]
    limit = rate(group["by"], allow="1 per 1d")
    document = policy(rule(limit, commands=["fstat", "files", group["event"]["command"]]))

    answers, code = judge(document, events, f"--facts={facts}")

    expected = ["allow", *["refuse"] * (len(group["spellings"]) - 1)]
    expected += ["allow"] * len(group["others"])
    given = [answer["verdict"] for answer in answers]
    assert code == 0
    assert list(zip(entries, given, strict=True)) == list(zip(entries, expected, strict=True))
