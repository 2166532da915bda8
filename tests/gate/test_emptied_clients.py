"""Tests of empty Views of clients in the index: the server is asked whether it has the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gate.forms import NARROW, VIEWS, WIDE, prepare, printing, save
from gate.program import GO_ON, Home, policy
from gate.test_turns import AT_ONCE, held
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

EMPTY = "Client:\tws\n\nView:\n"
ASKED = "open(sys.argv[-1] + '/asked', 'w')\n"
EXEMPT = {"reason": "r", "owner": "o", "for": {"users": ["ann"]}}


@pytest.fixture
def site(beside: Home, tmp_path: Path) -> Home:
    index = beside.folder / "checkpoint.index"
    content = small_index(tmp_path, {"//depot/main": 1}, {"ws": ["//depot/main/... //ws/..."]})
    index.write_bytes(content.read_bytes())
    index.chmod(0o600)
    return beside


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_an_empty_view_is_that_of_a_new_client_if_the_server_lost_the_old_one(
    site: Home, on_error: str
) -> None:
    prepare(site, printing({"has_client": True}), VIEWS, on_error=on_error)
    assert save(site, EMPTY) == GO_ON
    prepare(site, printing({"has_client": False}), VIEWS, on_error=on_error)
    code, text = save(site, EMPTY)
    assert (code, "Add View lines" in text) == (1, True)


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_without_an_answer_an_empty_view_is_judged_by_the_index(site: Home, on_error: str) -> None:
    prepare(site, printing({"error": "no ticket"}), VIEWS, on_error=on_error)
    assert save(site, EMPTY) == GO_ON
    assert site.log()[-1]["trouble"] == "no ticket"
    (site.folder / "server.json").unlink()
    assert save(site, EMPTY) == GO_ON
    assert "no account" in site.log()[-1]["trouble"]


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_without_a_turn_an_empty_view_is_refused(site: Home, on_error: str) -> None:
    prepare(site, printing({"has_client": True}), VIEWS, on_error=on_error)
    with held(site, AT_ONCE, 1 << 60):
        code, text = save(site, EMPTY)
    assert (code, "rule=no-whole-depot retry-after=60" in text) == (1, True)


def test_for_no_other_form_the_server_is_asked(site: Home) -> None:
    prepare(site, ASKED + printing({"has_client": True}), VIEWS)
    stream = EMPTY.replace("View", "Stream: //streams/main\n\nView")
    for form in (NARROW, WIDE, "Client:\tws\n", stream):
        save(site, form)
    save(site, EMPTY.replace("ws", "new"), "--name=new")
    site.activate(policy(VIEWS, exemptions=[EXEMPT]))
    save(site, EMPTY)
    assert not (site.folder / "asked").exists()
    site.activate(policy(VIEWS | {"mode": "observe"}))
    save(site, EMPTY)
    assert (site.folder / "asked").exists()
