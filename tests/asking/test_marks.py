"""Tests of the parts of an answer that a census asks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.asking import form_text
from p4warden.asking.judge import Judge, judging

if TYPE_CHECKING:
    from pathlib import Path

DEEP = {"name": "deep", "rule": "limit_view_scope", "mode": "observe", "min_depth": 1}
FEW = {
    "name": "few",
    "rule": "limit_view_scope",
    "mode": "enforce",
    "min_depth": 0,
    "max_files": 9,
}
WIDE = "//depot/... //ws/..."
MARK = ["deep", "View line", "//depot/...\t//ws/...", 0]


def policy(folder: Path, *rules: dict[str, Any]) -> str:
    file = folder / "policy.json"
    document = {"format": 1, "digest": "", "contact": "admins", "on_error": "allow"}
    file.write_text(json.dumps(document | {"exemptions": [], "rules": rules}))
    return str(file)


def saved(judge: Judge, *view: str, **facts: Any) -> dict[str, Any]:
    fields = {"client": ["ws"], "view": view}
    event = {"event": "form-save", "type": "client", "name": "ws", "fields": fields}
    return judge.ask(event | {"facts": facts})


def test_marks_are_all_findings_whatever_the_baseline_holds_back(tmp_path: Path) -> None:
    other = "//a\udcff/... //ws/x/..."
    others_mark = ["deep", "View line", "//a\udcff/...\t//ws/x/...", 0]
    with judging(policy(tmp_path, DEEP | {"baseline": True}, FEW), flags=("marks",)) as judge:
        new = saved(judge, WIDE, other, view={"files": 9})
        held_back = saved(judge, WIDE, other, baseline=[MARK, others_mark], view={"files": 9})
        worse = saved(judge, WIDE, other, baseline=[MARK], view={"files": 9})
        narrow = saved(judge, "//depot/a/... //ws/...", view={"files": 9})
    for answer in (new, held_back, worse):
        assert sorted(answer["marks"], key=str) == [others_mark, MARK]
        assert answer["max_files"] == 9
    assert [one["tolerated"] for one in (new, held_back, worse)] == [["deep"], ["deep"], []]
    assert (narrow["marks"], narrow["tolerated"], narrow["choice"]) == ([], [], [])


def test_a_form_that_cannot_be_read_is_not_tolerated(tmp_path: Path) -> None:
    event = {"event": "form-save", "type": "client", "name": "ws", "form": "\t//a/...\n"}
    with judging(policy(tmp_path, DEEP), flags=("marks",)) as judge:
        answer = judge.ask(event)
    assert (answer["verdict"], answer["tolerated"]) == ("observe", [])
    assert [mark[0] for mark in answer["marks"]] == ["deep"]


def test_the_choice_says_what_to_write_for_placeholders(tmp_path: Path) -> None:
    with judging(policy(tmp_path, DEEP), flags=("marks",)) as judge:
        answer = saved(judge, WIDE)
    assert answer["fix"] == "//depot/DIRECTORY/... //ws/DIRECTORY/..."
    listing = 'this lists the names: p4 dirs "//depot/*"'
    assert answer["choice"] == [f"Put a name in place of DIRECTORY; {listing}"]


@pytest.mark.parametrize(("flags", "count"), [((), 100), (("all",), 150)])
def test_all_findings_come_on_request(tmp_path: Path, flags: tuple[str, ...], count: int) -> None:
    view = [f"//d{number}/... //ws/{number}/..." for number in range(150)]
    with judging(policy(tmp_path, DEEP), flags=flags) as judge:
        assert len(saved(judge, *view)["findings"]) == count


def test_forms_are_read_without_a_policy() -> None:
    with judging() as judge:
        form = form_text.read(judge, "Client:\tws\n\nView:\n\t-//a\udcff/b //ws/b\n", "client")
        of_fields = form_text.read(judge, {"view": ["//a/... //ws/..."]}, "client")
        broken = form_text.read(judge, "\t//a/...\n")
    assert form_text.value(form.fields, "client") == "ws"
    assert form_text.value(form.fields, "owner") is None
    assert (form.lines[0]["flag"], form.lines[0]["path"]) == ("-", "//a\udcff/b")
    assert (form.problem, form.files) == (None, None)
    assert [line["other"] for line in of_fields.lines] == ["//ws/..."]
    assert broken.problem
    assert broken.fields == {}
