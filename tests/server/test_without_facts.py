"""Tests of a home without facts.json, as after `activate` and before the first `refresh`.

Every event is judged as on an unknown server, and the log says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.servers import ClientFactory, Server
    from support.warden import Warden
    from support.workspaces import ClientWorkspace

pytestmark = pytest.mark.touches("table", "saves", "form-fields", "form-save-text")

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: {on_error}
rules:
  - name: no-whole-depot
    rule: limit_view_scope
    mode: enforce
    forms: [client, stream, branch]
    max_share: 0.8
    min_directories: 2
  - {{name: short-paths, rule: limit_path_length, mode: enforce, max_leading: 40}}
  - {{name: few-tops, rule: limit_top_directories, mode: enforce, max: 1}}
  - {{name: depot-count, rule: limit_depot_count, mode: enforce, max: 1}}
  - {{name: narrow-proposals, rule: suggest_client_view, mode: enforce}}
"""
COMMANDS = """\
  - {name: no-wide-fstat, rule: limit_command_scope, mode: enforce, commands: [fstat]}
"""
TROUBLE = "no facts about the server yet; run p4warden refresh"


def save_client(p4: P4, view: str) -> None:
    p4.save_client({"Client": "ws", "Root": "/ws", "View": [view]})


def save_stream(p4: P4, path: str) -> None:
    form = p4.fetch_stream("//streams/main")
    p4.save_stream({**form, "Type": "mainline", "Parent": "none", "Paths": [path]})


def save_branch(p4: P4, view: str) -> None:
    p4.save_branch({"Branch": "b", "View": [view]})


FORMS: dict[str, tuple[Callable[[P4, str], None], str, str]] = {
    "client": (save_client, "//depot/... //ws/...", "//depot/main/... //ws/main/..."),
    "stream": (save_stream, "import x/... //depot/...", "import x/... //depot/main/..."),
    "branch": (save_branch, "//depot/... //depot/new/...", "//depot/a/... //depot/b/..."),
}


def install_without_facts(warden: Warden, policy: str) -> None:
    """Deploy a policy, and take away all that `refresh` wrote."""
    warden.install(policy)
    for name in ("facts.json", "names.json", "server.json"):
        (warden.home / name).unlink()
    warden.activate(policy)


def troubles(warden: Warden) -> set[str]:
    return {record.get("trouble", "") for record in warden.log()}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_refused_and_allowed_by_its_own_lines(
    server: Server, warden: Warden, connect: ClientFactory, form: str
) -> None:
    install_without_facts(warden, POLICY.format(on_error="allow"))
    save, wide, narrow = FORMS[form]
    p4 = connect(server, user=server.super_user)
    if form == "stream":
        p4.save_depot({"Depot": "streams", "Type": "stream", "Map": "streams/..."})
    with pytest.raises(P4Exception, match="maps all of //depot"):
        save(p4, wide)
    save(p4, narrow)
    assert troubles(warden) == {TROUBLE}


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_depot_is_allowed_because_the_number_of_depots_is_unknown(
    server: Server, warden: Warden, connect: ClientFactory, on_error: str
) -> None:
    install_without_facts(warden, POLICY.format(on_error=on_error))
    p4 = connect(server, user=server.super_user)
    for name in ("one", "two"):
        p4.save_depot({"Depot": name, "Type": "local", "Map": f"{name}/..."})
    first = warden.log()[0]
    assert (first["verdict"], first["rule"], first["trouble"]) == (
        "unknown",
        "depot-count",
        TROUBLE,
    )


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_submit_is_allowed_because_its_files_are_unknown(
    warden: Warden, disk: ClientWorkspace, on_error: str
) -> None:
    install_without_facts(warden, POLICY.format(on_error=on_error))
    disk.submit("work/a-directory-with-a-name/that-is-long/a.c")
    record = warden.log()[-1]
    assert (record["event"], record["verdict"]) == ("change-submit", "unknown")
    assert record["trouble"] == TROUBLE
    assert "fault" not in record


def test_a_new_client_form_gets_a_narrow_view(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_facts(warden, POLICY.format(on_error="deny"))
    form = connect(server).run("client", "-o", "new", tagged=False)[0]
    assert "\t//depot/DIRECTORY/... //new/" in form


def test_a_command_is_refused_by_its_arguments_and_the_missing_facts_are_logged_once(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_facts(warden, POLICY.format(on_error="allow") + COMMANDS)
    p4 = connect(server)
    for _ in range(3):
        with pytest.raises(P4Exception, match="asks for all of //depot"):
            p4.run("fstat", "//depot/...")
    own = [record for record in warden.log() if "trouble" in record]
    assert [(record["event"], record["trouble"]) for record in own] == [("command", TROUBLE)]


def test_missing_facts_are_logged_once_for_all_users(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_facts(warden, POLICY.format(on_error="allow"))
    for user in ("ann", "bob"):
        p4 = connect(server, user=user)
        p4.save_client({"Client": user, "Root": "/ws", "View": [f"//depot/a/... //{user}/a/..."]})
    assert [record["trouble"] for record in warden.log()] == [TROUBLE]


def test_doctor_says_that_facts_are_missing_and_refresh_ends_it(
    warden: Warden, server: Server, connect: ClientFactory
) -> None:
    install_without_facts(warden, POLICY.format(on_error="allow"))
    output = warden.must("doctor", code=1)
    assert (
        f"bad: facts: {warden.home}{os.sep}facts.json: there are no facts about the server yet; "
        "forms and commands are judged as on an unknown server\n"
        f"    p4warden refresh --home {warden.home}\n"
    ) in output
    warden.must("refresh")
    assert "bad: facts" not in warden.run("doctor").output
    p4 = connect(server)
    save_client(p4, "//depot/main/... //ws/main/...")
    assert warden.log() == []
