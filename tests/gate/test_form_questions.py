"""Tests of the question `form` to the gate's judge."""

from __future__ import annotations

from gate.program import judge, policy

ONE_WORD = (
    "has 1 word instead of 2 (a depot path and a client path); add the client path after it, for "
    "example //ws/b"
)


def test_judge_answers_a_question_about_a_form() -> None:
    text = (
        "Client:\tws\nView:\n\t//depot/a/... //ws/a/...\n\t-//depot/\udce9 //ws/x\n\t//depot/b\n"
    )
    [answer], code = judge(policy(), [{"ask": "form", "type": "client", "form": text}])
    assert code == 0
    assert answer["problem"] is None
    view = ["//depot/a/... //ws/a/...", "-//depot/\udce9 //ws/x", "//depot/b"]
    assert answer["fields"] == {"client": ["ws"], "view": view}
    assert [list(line.values()) for line in answer["lines"]] == [
        [1, "View", "", "//depot/a/...", "//ws/a/...", None, None],
        [2, "View", "-", "//depot/\udce9", "//ws/x", None, None],
        [3, "View", "", None, None, None, ONE_WORD],
    ]
    names = ["number", "field", "flag", "path", "other", "side", "problem"]
    assert [list(line) for line in answer["lines"]] == [names] * 3


def test_judge_tells_the_problem_of_a_form_and_of_a_question() -> None:
    asked = {"ask": "form", "type": "branch"}
    form = "Branch: b\nView:\n\t//d*/... //e/...\n"
    lines = [{**asked, "form": "Branch"}, {**asked, "form": form}, {"ask": "x"}, {"ask": "form"}]
    [unreadable, wild, unknown, empty], code = judge(policy(), lines)
    assert code == 1
    assert unreadable["problem"].startswith("cannot be read: line 1 (Branch) is neither")
    assert (unreadable["fields"], unreadable["lines"]) == ({}, [])
    sides = [(line["side"], line["path"], line["problem"]) for line in wild["lines"]]
    problem = "maps paths in all depots that match d*"
    assert sides == [("left", "//d*/...", problem), ("right", "//e/...", None)]
    assert unknown == {"line": 3, "error": "ask must be form, gain, standing or witness"}
    assert empty == {"problem": "is empty", "fields": {}, "lines": []}
