"""Tests of refusal texts: cases of `tests/cases/refusals`; Rust's tests run them, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.asking import tables
from p4warden.policy import schema
from p4warden.policy.compiled import compile_policy
from support.judged import judging_by
from support.refusal_text import without_id
from support.small_index import small_index

FILES = sorted((Path(__file__).parents[1] / "cases" / "refusals").glob("*.json"))
CASE_KEYS = {"name", "contact", "help_url", "times", "server", "form", "command", "text"}
FRAME: dict[str, Any] = {
    "contact": "Perforce admins <p4-admins@example.com>",
    "help_url": "https://wiki.example.com/p4-policy",
}


def entries(kind: str) -> list[Any]:
    results = []
    for file in FILES:
        document = json.loads(file.read_text("utf-8"))
        assert set(document) <= {"why", "summary", "cases", "faults"}, file
        results += [
            pytest.param(entry, id=f"{file.stem}: {entry['name']}")
            for entry in document.get(kind, ())
        ]
    return results


@pytest.mark.parametrize("case", entries("cases"))
def test_a_refusal_has_the_expected_text(case: dict[str, Any], tmp_path: Path) -> None:
    assert set(case) <= CASE_KEYS
    index = str(small_index(tmp_path, **case["server"])) if "server" in case else None
    for kind in {"form", "command"} & set(case):
        query, event = case[kind], {"time": 1_800_000_000, **case[kind]["event"]}
        frame = {key: case.get(key, usual) for key, usual in FRAME.items()}
        policy = compile_policy({**frame, "rules": [query["rule"]]}, "0" * 64)
        with judging_by(policy, index=index, flags=["texts"]) as judge:
            text = judge.ask(event | {"repeat": case.get("times", 1)})["text"]
        assert without_id(text).splitlines() == case["text"], kind
        assert len(text.encode()) <= 2048


def test_each_command_rule_has_a_refusal_case() -> None:
    """Check that each command rule has a refusal case; docs/messages.md covers form rules."""
    gate_rules = {kind for kind in schema.kinds() if tables.events(kind) == {"command"}}
    rules_with_cases = {
        part["rule"]["rule"]
        for parameter in entries("cases")
        for part in (parameter.values[0].get("command"),)
        if part
    }
    assert rules_with_cases == gate_rules
