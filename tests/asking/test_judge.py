from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden.asking.gate_program import NAME, GateError, GateGoneError
from p4warden.asking.judge import EventError, Judge, judging

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

WIDE = "Client: ws\n\nView:\n\t//depot/... //ws/...\n"


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[Judge]:
    rule = {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "min_depth": 2}
    policy = tmp_path / "policy.json"
    document = {"format": 1, "digest": "", "contact": "admins", "on_error": "allow"}
    policy.write_text(json.dumps(document | {"exemptions": [], "rules": [rule]}))
    with judging(str(policy), flags=("texts",)) as judge:
        yield judge


def form(number: int, text: str = WIDE) -> dict[str, Any]:
    return {"id": number, "event": "form-save", "type": "client", "name": "ws", "form": text}


def test_answers_come_in_order_while_later_documents_are_read(judge: Judge) -> None:
    long = WIDE + "".join(f"\t//depot/a{n}/b/... //ws/{n}/...\n" for n in range(3000))
    answers = list(judge.answers(form(n, long if n % 100 == 0 else WIDE) for n in range(2000)))
    assert [answer["id"] for answer in answers] == list(range(2000))
    assert {answer["verdict"] for answer in answers} == {"refuse"}
    assert all(answer["text"] for answer in answers)


def test_a_process_that_is_killed_makes_one_unknown_answer(judge: Judge) -> None:
    def documents() -> Iterator[dict[str, Any]]:
        for number in range(50):
            if number == 20:
                os.kill(judge.process_id() or 0, signal.SIGKILL)
            yield form(number)

    verdicts = [answer["verdict"] for answer in judge.answers(documents())]
    assert len(verdicts) == 50
    assert verdicts.count("unknown") == 1
    assert judge.ask(form(7))["id"] == 7


def test_answers_that_nobody_takes_are_not_those_to_later_questions(judge: Judge) -> None:
    answers = judge.answers(form(number) for number in range(500))
    assert next(answers)["id"] == 0
    del answers
    assert judge.ask(form(501))["id"] == 501


def test_an_event_that_cannot_be_read_is_an_error_with_the_reason(judge: Judge) -> None:
    with pytest.raises(EventError, match="user is not text"):
        judge.verdict_on(form(1) | {"user": 7})
    assert judge.verdict_on(form(2))["verdict"] == "refuse"


def test_a_policy_that_the_gate_cannot_read_is_an_error(tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    policy.write_text("{}")
    with judging(str(policy)) as judge, pytest.raises(GateError, match=r"policy\.json"):
        judge.ask(form(1))


def test_a_gate_that_a_signal_ends_at_once_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / NAME
    gate.write_text("#!/bin/sh\nkill -9 $$\n")
    gate.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    with pytest.raises(GateGoneError) as gone, judging() as judge:
        judge.ask(form(1))
    assert gone.value.reason == f"{gate} is ended by signal 9 at once"
