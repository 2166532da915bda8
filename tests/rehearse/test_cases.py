"""Tests of `p4warden test`: the events made from a policy's case file, the reported problems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from p4warden.core.errors import PolicyWrongError
from p4warden.rehearse import cases
from support.judged import judging_by

if TYPE_CHECKING:
    from pathlib import Path

CLIENT_FORM = "Client:\tws\nView:\n\t//depot/main/... //ws/...\nOptions:\tcompress\n"


class FakeJudge:
    """Records the events it gets, and returns one verdict for each; the gate reads forms."""

    def __init__(self, **answer: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self._answer = {"verdict": "allow", "rule": None, "detail": None, "form": None, **answer}

    def ask(self, document: dict[str, Any]) -> dict[str, Any]:
        if "ask" in document:
            with judging_by({"rules": []}) as judge:
                return judge.ask(document)
        self.events.append(document)
        return self._answer


def run(
    folder: Path, judge: FakeJudge, *case_list: dict[str, Any], **top: Any
) -> list[str | None]:
    """Write a case file and run its cases; return each case's problem, None if it passed."""
    file = folder / "policy.cases.yaml"
    names = [{"name": f"case {n}", "verdict": "allow", **case} for n, case in enumerate(case_list)]
    file.write_text(yaml.safe_dump({"cases": names, **top}))
    return [result.problem for result in cases.run(str(file), judge.ask)]


def test_a_case_file_can_describe_every_kind_of_event(tmp_path: Path) -> None:
    judge = FakeJudge(form=CLIENT_FORM)
    events: list[dict[str, Any]] = [
        {"view": ["//depot/a/... //ws/..."], "user": "ann", "client": "ann-ws"},
        {"type": "depot", "form": "Depot:\tnew\nType:\tlocal\n", "groups": ["admins"], "at": 1.5},
        {"form": "Client:\tws\n", "shows": {}, "ip": "10.1.2.3"},
        {"command": "fstat", "args": ["-m", "1"], "program": "P4V", "version": "2019.1"},
        {"command": "fstat", "args": "unknown", "pressure": "unknown"},
        {"command": "fstat", "pressure": "high"},
        {"files": ["add //depot/a b/c.c", "move/add //depot/d.c"], "facts": {"depots": {}}},
    ]
    assert run(tmp_path, judge, *events, facts={"case_sensitive": False}) == [None] * 7
    start = cases.START_S
    facts = {"case_sensitive": False}
    someone = {"user": "someone", "client": "ws", "prog": None, "time": start, "facts": facts}
    save = {"event": "form-save", "type": "client", "name": "ws"}
    command = {"event": "command", "command": "fstat"}
    view = "View:\n\t//depot/a/... //ws/...\n"
    depot = {"type": "depot", "name": "new", "form": "Depot:\tnew\nType:\tlocal\n"}
    assert judge.events == [
        {**someone, **save, "user": "ann", "client": "ann-ws", "name": "ann-ws", "form": view},
        {**someone, **save, **depot, "groups": ["admins"], "time": start + 1.5},
        {**someone, **save, "event": "form-out", "form": "Client:\tws\n", "ip": "10.1.2.3"},
        {**someone, **command, "args": ["-m", "1"], "prog": "P4V", "version": "2019.1"},
        {**someone, **command, "pressure": "unknown"},
        {**someone, **command, "args": [], "pressure": "high"},
        {
            **someone,
            "event": "change-submit",
            "files": [
                {"action": "add", "path": "//depot/a b/c.c"},
                {"action": "move/add", "path": "//depot/d.c"},
            ],
            "facts": {"depots": {}},
        },
    ]


@pytest.mark.parametrize(
    ("answer", "case", "problem"),
    [
        ({}, {}, None),
        ({"verdict": "refuse", "detail": "X"}, {}, "the verdict is refuse, not allow: X"),
        ({"verdict": "unknown"}, {"verdict": "refuse"}, "the verdict is unknown, not refuse"),
        ({"rule": "a"}, {"rule": "a"}, None),
        ({"rule": "a"}, {"rule": "b"}, "the verdict is a's, not b's"),
        ({"form": CLIENT_FORM}, {"shows": {"View": ["//depot/main/... //ws/..."]}}, None),
        ({"form": CLIENT_FORM}, {"shows": {"options": ["compress"], "Host": []}}, None),
        (
            {"form": CLIENT_FORM},
            {"shows": {"View": ["//depot/... //ws/..."]}},
            'View is shown as ["//depot/main/... //ws/..."], not ["//depot/... //ws/..."]',
        ),
        ({"form": CLIENT_FORM}, {"shows": None}, "the form is changed before it is shown"),
        ({"form": None}, {"shows": None}, None),
        ({"form": None}, {"shows": {}}, "the form is shown as it is"),
        ({"error": "user is not text"}, {}, "the case is no event: user is not text"),
    ],
)
def test_an_answer_that_differs_from_the_case_is_reported(
    tmp_path: Path, answer: dict[str, Any], case: dict[str, Any], problem: str | None
) -> None:
    assert run(tmp_path, FakeJudge(**answer), {"form": "Client:\tws\n", **case}) == [problem]


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ({}, "cases[0]: needs one of view, form, command or files"),
        ({"command": "fstat", "files": []}, "cases[0]: needs one of view, form, command or files"),
        ({"files": ["//depot/a.c"]}, "cases[0].files[0]: '//depot/a.c' does not match"),
        ({"command": "fstat", "args": "x"}, "cases[0].args: 'x' is not valid"),
        ({"command": "fstat", "prog": "P4V"}, "cases[0]: Additional properties are not allowed"),
    ],
)
def test_an_invalid_case_is_refused_with_its_line_and_column(
    tmp_path: Path, case: dict[str, Any], problem: str
) -> None:
    with pytest.raises(PolicyWrongError) as wrong:
        run(tmp_path, FakeJudge(), case)
    assert re.match(rf".*policy\.cases\.yaml:\d+:\d+: {re.escape(problem)}", str(wrong.value))
