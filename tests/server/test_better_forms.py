"""Tests of new client forms, in which p4warden replaces p4d's default view and options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches(
    "form-save-text",
    "form-file-mode",
    "form-fields",
    "unchanged-form",
    "stream-switch",
)

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce}
  - {name: narrow-proposals, rule: suggest_client_view, mode: enforce}
  - name: fast-lines
    rule: suggest_client_options
    mode: enforce
    wishes: [{options: [compress, rmdir]}]
"""


@pytest.fixture
def warden(server: Server, tmp_path: Path) -> Warden:
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    return warden


@pytest.mark.usefixtures("warden")
def test_a_new_client_form_can_be_saved_after_the_placeholder_directory_is_replaced(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    form = p4.run("client", "-o", tagged=False)[0]
    assert "\t//depot/DIRECTORY/... //ws/" in form
    assert "\n# Replace DIRECTORY with a directory in //depot: " in form
    assert "\n# To map more directories, add one line for each; " in form
    options = "Options:\tnoallwrite noclobber compress unlocked nomodtime rmdir"
    assert options in form

    p4.input = form
    with pytest.raises(P4Exception, match="still contains the placeholder DIRECTORY"):
        p4.run("client", "-i")
    p4.input = form.replace("/DIRECTORY/", "/main/")
    assert p4.run("client", "-i") == ["Client ws saved."]
    second_form = p4.run("client", "-o", tagged=False)[0]
    assert "\t//depot/main/... //ws/" in second_form
    assert options in second_form


@pytest.mark.usefixtures("warden")
def test_a_client_fetched_in_tagged_mode_has_the_placeholder_view(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    client = p4.fetch_client()
    assert client["View"][0].startswith("//depot/DIRECTORY/... //ws/")
    client["View"] = [line.replace("/DIRECTORY/", "/main/") for line in client["View"]]
    assert p4.save_client(client) == ["Client ws saved."]


def test_the_form_of_an_existing_client_is_unchanged(
    server: Server, connect: ClientFactory, tmp_path: Path
) -> None:
    p4 = connect(server)
    p4.save_client(p4.fetch_client())
    before = p4.run("client", "-o", tagged=False)[0]
    Warden(server, tmp_path).install(POLICY)
    after = p4.run("client", "-o", tagged=False)[0]
    lines = [line for line in before.splitlines() if not line.startswith("Access:")]
    assert [line for line in after.splitlines() if not line.startswith("Access:")] == lines


def test_a_branch_form_gets_no_placeholder_and_is_not_logged(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    assert "DIRECTORY" not in p4.run("branch", "-o", "b", tagged=False)[0]
    assert not (warden.home / "decisions.jsonl").exists()
