"""Tests that Python and Rust read forms alike, by cases and by the texts of other tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.program import judge, policy
from p4warden.forms.depot_path import split_words
from support import form_oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parents[1] / "cases"
RULES = (
    *("limit_view_scope", "limit_path_length", "limit_depot_count", "require_client_options"),
    *("suggest_client_options", "suggest_client_view", "baseline"),
)


@pytest.fixture(scope="module")
def rust() -> Iterator[form_oracle.Rust]:
    child = form_oracle.Rust()
    yield child
    child.close()


def cases(name: str) -> list[Any]:
    document = json.loads((CASES / "forms" / f"{name}.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in document["cases"]]


@pytest.mark.parametrize("case", cases("texts"))
def test_both_languages_answer_a_question_about_forms_as_in_the_case(
    rust: form_oracle.Rust, case: dict[str, Any]
) -> None:
    assert form_oracle.python_answer(case["question"]) == case["answer"]
    assert rust.ask(**case["question"]) == case["answer"]


@pytest.mark.parametrize("case", cases("differences"))
def test_rust_differs_from_python_only_as_in_the_case(
    rust: form_oracle.Rust, case: dict[str, Any]
) -> None:
    assert form_oracle.python_answer(case["question"]) == case["python"]
    assert rust.ask(**case["question"]) == case["answer"]
    assert case["python"] != case["answer"]


def texts_of(document: Any) -> Iterator[str]:
    """Yield the forms of a rule's case file, and each view of it as a form."""
    if isinstance(document, list):
        for part in document:
            yield from texts_of(part)
    if isinstance(document, dict):
        for name, part in document.items():
            if name in ("form", "before") and isinstance(part, str):
                yield part
            elif name in ("view", "before") and isinstance(part, list):
                lines = "".join(f"\t{line}\n" for line in part)
                yield f"Client:\tws\nView:\n{lines}Paths:\n{lines}Map:\n{lines}"
            else:
                yield from texts_of(part)


def questions_of(text: str) -> Iterator[dict[str, Any]]:
    yield {"ask": "fields", "text": text}
    for form_type in ("client", "branch", "label", "stream", "depot"):
        yield {"ask": "form", "text": text, "type": form_type, "name": "//streams/main"}
    view: list[tuple[str, str, str]] = []
    for line in text.split("\n"):
        yield {"ask": "words", "text": line}
        first, *others = split_words(line)
        yield {"ask": "line", "words": [first, *others]}
        flag, path = (first[:1], first[1:]) if first[:1] in "-+&" else ("", first)
        view.append((flag, path, others[0] if others else path))
        yield {"ask": "path", "text": path}
    # Joining every two lines takes a while in Python.
    yield {"ask": "rows", "lines": view[:60], "most": 20}


@pytest.mark.parametrize("rule", RULES)
def test_the_forms_of_a_rules_cases_are_read_alike_by_both_languages(
    rust: form_oracle.Rust, rule: str
) -> None:
    files = sorted((CASES / rule).glob("*.yaml"))
    documents = [yaml.safe_load(file.read_text("utf-8")) for file in files]
    texts = [text for document in documents for text in texts_of(document)]
    assert texts
    questions = [question for text in texts for question in questions_of(text)]
    assert form_oracle.differences(rust, questions) == []


ONE_WORD = (
    "has 1 word instead of 2 (a depot path and a client path); add the client path after it, for "
    "example //ws/b"
)
PIECES = ["...", "..", ".", "*", "%%1", "%%", "%", "a", "/", "//depot/", "//ws/", "-", "+", "&"]
PIECES += [
    '"',
    " ",
    "\t",
    "\n",
    "\n\t",
    "#",
    ":",
    "View:",
    "X:",
    "Stream:",
    "\u00e9",
    "\udce9",
    "\v",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.lists(TEXTS, min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_random_texts_are_read_alike_by_both_languages(
    rust: form_oracle.Rust, texts: list[str]
) -> None:
    questions = [question for text in texts for question in questions_of(text)]
    options = [{"ask": "options", "text": text, "words": ["compress"]} for text in texts]
    edits = [
        {"ask": "edit", "text": f"Client:\tws\n{text}", "field": "View", "words": texts[:3]}
        for text in texts
    ]
    assert form_oracle.differences(rust, [*questions, *options, *edits]) == []


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
    assert unknown == {"line": 3, "error": "ask must be form"}
    assert empty == {"problem": "is empty", "fields": {}, "lines": []}
