"""Tests of rate rules: the cases of `tests/cases/rates`, judged by the built gate.

`cargo test` runs the same cases.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.program import judge

FILES = sorted((Path(__file__).parents[1] / "cases" / "rates").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_rate_cases_gets_the_expected_verdicts(file: Path, tmp_path: Path) -> None:
    facts = tmp_path / "facts.json"
    document = json.loads(file.read_text("utf-8"))
    assert set(document) == {"why", "policy", "facts", "cases"}
    facts.write_text(json.dumps(document["facts"]))
    events = [case["event"] | {"id": case["name"]} for case in document["cases"]]

    answers, code = judge(document["policy"], events, f"--facts={facts}")

    assert code == 0
    for case, answer in zip(document["cases"], answers, strict=True):
        assert answer["id"] == case["name"]
        assert answer["verdict"] == case["verdict"], case["name"]
        assert (answer["exemption"] is not None) == case["exemption"], case["name"]
        for field in {"rule", "retry_after_s", "delay_s", "would"} & set(case):
            assert answer[field] == case[field], case["name"]
        assert case.get("problem", "") in (answer["detail"] or ""), case["name"]
