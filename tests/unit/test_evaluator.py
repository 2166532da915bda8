"""Tests of `p4warden evaluate`: each event gets an answer, even when judging it raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from p4warden.policy.compiled import Policy, compile_policy
from p4warden.rehearse.evaluator import DefectError, evaluating

WIDE = "Client:\tws\nView:\n\t//depot/... //ws/...\n"


def damaged_policy() -> Policy:
    """Return a policy with a setting of a wrong type, so that judging an event raises."""
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce"}
    policy = compile_policy({"contact": "admins", "rules": [rule]}, "0" * 64)
    settings = {**policy.rules[0].settings, "min_depth": None}
    return policy._replace(rules=(policy.rules[0]._replace(settings=settings),))


def line(**fields: Any) -> bytes:
    return json.dumps({"event": "form-save", "type": "client", **fields}).encode()


def test_each_event_whose_evaluation_raises_is_answered_unknown() -> None:
    with evaluating(damaged_policy()) as evaluator:
        for identity in ("1", 2):
            with pytest.raises(DefectError, match="failed on this event: TypeError") as error:
                evaluator.answer(line(id=identity, form=WIDE))
            answer = json.loads(error.value.answer)
            assert (answer["id"], answer["verdict"]) == (identity, "unknown")
            assert "TypeError" in answer["detail"]
