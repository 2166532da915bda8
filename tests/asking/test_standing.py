from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from p4warden.asking.gate_program import GateError
from p4warden.asking.standing import standing
from p4warden.core import facts as known_facts
from p4warden.policy.compiled import Policy, compile_policy
from support.judged import judging_by

DOCUMENT = json.loads(
    (Path(__file__).parents[1] / "cases" / "standing" / "standing.json").read_text("utf-8")
)


def policy(fields: dict[str, Any]) -> Policy:
    exemptions = [{**entry, **entry.get("for", {})} for entry in fields.get("exemptions", ())]
    return compile_policy({"contact": "admins", **fields, "exemptions": exemptions}, "0" * 64)


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_people_have_the_expected_standing(case: dict[str, Any]) -> None:
    facts = known_facts.from_document(case["facts"])
    with judging_by(policy(DOCUMENT["policy"]), known_facts.to_document(facts)) as judge:
        found = standing(judge, case["people"], case["day"])
    rules = {rule["name"]: (rule["acts_as"], rule["exempt"]) for rule in case["answer"]["rules"]}
    assert {name: tuple(rule) for name, rule in found.rules.items()} == rules
    assert found.exempted == case["answer"]["exempted"]
    assert found.baseline_in_effect == case["answer"]["baseline_in_effect"]


def test_a_question_without_an_answer_is_an_error() -> None:
    facts = known_facts.from_document({})
    with judging_by(policy({"rules": []}), known_facts.to_document(facts)) as judge:
        with pytest.raises(GateError, match="the policy has no rule x, or it is off"):
            judge.question({"ask": "witness", "rule": "x", "people": []})
        with pytest.raises(GateError, match="missing field `day`"):
            judge.question({"ask": "standing", "people": []})
        with pytest.raises(GateError, match="ask must be form, gain, standing or witness"):
            judge.question({"ask": "verdict"})
