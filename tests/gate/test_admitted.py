"""Tests of depots and directories that were allowed and that the server does not list yet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gate.forms import DEPOTS, answer_by, printing, save, submit
from gate.program import GO_ON, policy
from p4warden.home.summed_file import text

if TYPE_CHECKING:
    from gate.program import Home

TOPS = {"name": "tops", "rule": "limit_top_directories", "mode": "enforce", "max": 2}
DEPOT = {"type": "local", "directories": ["main"]}
OF_CHANGE = """\
change = json.load(sys.stdin)["change"]
names = {"1": ["new"], "2": ["other"], "3": ["new"], "4": ["main"], "5": ["NEW"]}[change]
files = [[f"//depot/{name}/file", "add"] for name in names]
directories = {"names": ["main"], "all": names != ["main"]}
answer = {"files": files, "listed": 1, "judged": 1, "directories": {"depot": directories}}
print(json.dumps(answer))
"""
IN_FLIGHT = (
    "//depot would have 3 directories directly below it, one of them of a submit that may not "
    "have ended; at most 2 are allowed"
)


def prepare(home: Home, *, case_sensitive: bool = True) -> None:
    answer_by(home, OF_CHANGE)
    home.know({"case_sensitive": case_sensitive, "depots": {"depot": DEPOT}})
    home.activate(policy(TOPS, on_error="deny"))


def admitted(home: Home) -> set[str]:
    return {*json.loads(text((home.folder / "admitted.json").read_bytes()))}


def test_a_new_directory_of_a_submit_in_flight_counts(beside: Home) -> None:
    prepare(beside)
    assert submit(beside, "--change=1") == GO_ON
    code, text = submit(beside, "--change=2")
    assert (code, IN_FLIGHT in " ".join(text.split())) == (1, True)
    assert [submit(beside, f"--change={change}") for change in (1, 3, 4)] == [GO_ON] * 3
    assert submit(beside, "--change=5").code == 1
    assert admitted(beside) == {"//depot/new"}


def test_a_directory_in_flight_is_folded_where_the_server_ignores_case(beside: Home) -> None:
    prepare(beside, case_sensitive=False)
    assert [submit(beside, f"--change={change}") for change in (1, 5)] == [GO_ON] * 2


def test_a_submit_that_is_refused_leaves_nothing_in_flight(beside: Home) -> None:
    prepare(beside)
    beside.activate(policy(TOPS | {"max": 1}))
    assert submit(beside, "--change=1").code == 1
    beside.activate(policy(TOPS))
    assert submit(beside, "--change=2") == GO_ON


def test_no_trigger_edits_the_admitted_in_place(beside: Home) -> None:
    prepare(beside)
    assert submit(beside, "--change=1") == GO_ON
    before = beside.folder.with_name("before")
    before.hardlink_to(beside.folder / "admitted.json")
    content = before.read_bytes()
    answer_by(beside, 'print(json.dumps({"depots": {"depot": "local"}}))')
    beside.activate(policy(TOPS, DEPOTS | {"max": 9}))
    assert save(beside, "Depot: fresh\n", "--name=fresh", kind="depot") == GO_ON
    assert before.read_bytes() == content
    assert admitted(beside) == {
        "//depot/new",
        "fresh",
    }


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_without_room_for_the_admitted_the_declared_answer_is_given(
    beside: Home, on_error: str
) -> None:
    prepare(beside)
    beside.activate(policy(TOPS, on_error=on_error))
    (beside.folder / "admitted.json").mkdir()
    assert submit(beside, "--change=1").code == (on_error == "deny")
    assert "admitted.json" in beside.log()[-1]["fault"]
    assert submit(beside, "--change=4") == GO_ON


@pytest.mark.parametrize(("listed", "is_refused"), [(["depot", "two"], True), (["depot"], False)])
def test_depots_are_those_that_the_server_lists(
    beside: Home, listed: list[str], *, is_refused: bool
) -> None:
    answer_by(beside, printing({"depots": dict.fromkeys(listed, "local")}))
    beside.know({"depots": {"depot": DEPOT, **({} if is_refused else {"gone": DEPOT})}})
    beside.activate(policy(DEPOTS | {"max": 2}))
    assert save(beside, "Depot: new\n", "--name=new", kind="depot").code == is_refused
