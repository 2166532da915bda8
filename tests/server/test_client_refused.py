"""Tests of saving clients with `p4 client` on a server where p4warden is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLLING
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches(
    "form-save-text",
    "form-file-mode",
    "form-fields",
    "groups",
    "unknown-variables",
    "saves",
    "missing-view",
)

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: allow
exemptions:
  - {{groups: [build-farm], reason: builds, owner: ci}}
rules:
  - {{name: no-whole-depot, rule: limit_view_scope, mode: {mode}}}
"""


# Pattern of a server's own errors for an odd name of a user or program: the name is invalid, or
# the user is unknown.
def save(p4: P4, view: list[str], **fields: str) -> list[str]:
    return p4.save_client({**p4.fetch_client(), **fields, "View": view})


def test_a_view_of_a_whole_depot_is_refused_and_a_proposed_view_can_be_saved(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(server)
    with pytest.raises(P4Exception) as error:
        save(p4, ["//depot/... //ws/..."])
    text = str(error.value)
    assert text.startswith(
        "Error in client specification.\n"
        "'p4warden.form-save.client' validation failed: View line 1 of your client ws "
        "(//depot/... //ws/...) maps all of //depot; name at least one directory below it.\n"
    )
    assert "Questions: admins@example.com\n" in text
    proposal = [line.strip() for line in text.splitlines() if line.startswith("  ")]
    assert proposal
    assert p4.run("clients", "-e", "ws") == []

    assert save(p4, proposal[:1]) == ["Client ws saved."]
    assert [(r["verdict"], r["rule"]) for r in warden.log()] == [("refuse", "no-whole-depot")]


def test_all_refusals_of_a_repeated_save_are_logged_or_counted(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    for p4 in [connect(server)] * 4 + [connect(server, user="bob")]:
        with pytest.raises(P4Exception, match="no-whole-depot"):
            save(p4, ["//depot/... //ws/..."])
    report = sum(record.get("count", 1) for record in warden.log() if record["user"] == "ann")
    unwritten_records = warden.counts()["owed"]
    assert {(entry["event"], entry["user"]) for entry in unwritten_records} <= {
        ("form-save", "ann")
    }
    assert report + sum(entry["count"] for entry in unwritten_records) == 4
    assert warden.log()[-1]["user"] == "bob"
    assert warden.counts()["refused"] == 5


def test_the_default_view_of_p4d_is_refused(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(server)
    with pytest.raises(P4Exception, match="no-whole-depot"):
        p4.save_client(p4.fetch_client())


@pytest.mark.parametrize("view", ["", "View:\n", "View:\n\t# //depot/main/... //ws/...\n"])
def test_a_client_without_a_view_is_refused_and_a_proposed_view_can_be_saved(
    server: Server, warden: Warden, connect: ClientFactory, view: str
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(server)
    p4.input = form = f"Client:\tws\nRoot:\t/ws\n{view}"
    with pytest.raises(P4Exception, match="no-whole-depot") as error:
        p4.run("client", "-i")
    assert p4.run("clients", "-e", "ws") == []
    lines = str(error.value).splitlines()
    proposal = [line.strip() for line in lines if line.startswith("  //")]
    p4.input = f"{form.partition('View:')[0]}View:\n\t{proposal[0]}\n"
    assert p4.run("client", "-i") == ["Client ws saved."]


@pytest.mark.parametrize("is_tagged", [True, False])
@pytest.mark.parametrize("mode", ["off", "observe", "enforce"])
def test_saving_a_client_form_as_shown_changes_nothing(
    server: Server, warden: Warden, connect: ClientFactory, mode: str, *, is_tagged: bool
) -> None:
    if mode == "off":
        warden.prepare(POLICY.format(mode="off"))
        assert "0 added" in warden.must("deploy", "plan")
    else:
        warden.install(POLICY.format(mode=mode))
    p4 = connect(server)
    save(p4, ["//depot/main/... //ws/main/..."])
    p4.tagged = is_tagged
    form = p4.run("client", "-o")[0]
    p4.input = form
    assert p4.run("client", "-i") == ["Client ws not changed."]
    assert p4.run("client", "-o")[0]["View"] if is_tagged else "View:" in p4.run("client", "-o")[0]
    assert len(p4.run("client", "-o")) == 1


def test_a_rule_in_observe_mode_allows_a_save_and_logs_the_verdict(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="observe"))
    assert save(connect(server), ["//depot/... //ws/..."]) == ["Client ws saved."]
    assert [r["verdict"] for r in warden.log()] == ["observe"]


def test_an_activated_policy_applies_from_the_next_save(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="observe"))
    p4 = connect(server)
    assert save(p4, ["//depot/... //ws/..."]) == ["Client ws saved."]
    warden.activate(POLICY.format(mode="enforce"))
    with pytest.raises(P4Exception, match="no-whole-depot"):
        save(p4, ["//depot/... //ws/x/..."])


@pytest.mark.parametrize("event", ["form", pytest.param("command")])
def test_forms_and_commands_are_judged_on_a_server_with_triggers_io(
    tmp_path: Path, connect: ClientFactory, event: str
) -> None:
    with Sandbox(Settings(triggers_io=True)) as server:
        warden = Warden(server, tmp_path)
        warden.install(POLICY.format(mode="enforce") + POLLING)
        p4 = connect(server)
        if event == "form":
            assert save(p4, ["//depot/main/... //ws/..."]) == ["Client ws saved."]
            with pytest.raises(
                P4Exception, match=r"View line 1 of your client ws \(//depot/%%1/"
            ) as error:
                save(p4, ["//depot/%%1/... //ws/%%1/..."])
        else:
            assert p4.run("fstat", "//depot/main/README")
            with pytest.raises(P4Exception, match="rule=fstat-polling ") as error:
                p4.run("fstat", "//depot/main/README")
        assert "indecipherable" not in str(error.value)
