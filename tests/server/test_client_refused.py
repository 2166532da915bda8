"""Tests of saving clients with `p4 client` on a server where p4warden is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLLING
from support.servers import takes_names
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
NO_SUCH_NAME = "not allowed in '|P4PASSWD|has not been enabled"


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


def test_a_member_of_an_exempt_group_may_save_a_view_of_a_whole_depot(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    assert save(connect(server, user="build"), ["//depot/... //ws/..."]) == ["Client ws saved."]
    assert warden.log()[0]["exemption"] == "builds (owner: ci)"


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


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize(
    ("name", "content"), [("policy.json", None), ("policy.json", "{"), ("facts.json", "{")]
)
def test_a_missing_or_damaged_p4warden_file_gives_the_on_error_answer(
    server: Server,
    warden: Warden,
    connect: ClientFactory,
    name: str,
    content: str | None,
    on_error: str,
) -> None:
    warden.install(POLICY.format(mode="enforce").replace("allow", on_error))
    (warden.home / name).unlink()
    if content is not None:
        (warden.home / name).write_text(content)
    p4 = connect(server)
    if on_error == "allow":
        assert save(p4, ["//depot/... //ws/..."]) == ["Client ws saved."]
    else:
        with pytest.raises(P4Exception, match="has failed"):
            save(p4, ["//depot/main/... //ws/..."])
    assert name in warden.log()[0]["fault"]


def test_a_form_of_over_4_mib_is_refused_without_a_traceback(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(server)
    client = p4.fetch_client()
    client["View"] = ["//depot/main/... //ws/..."]
    client["Description"] = "x" * 4_300_000
    with pytest.raises(P4Exception, match="is over 4 MiB") as error:
        p4.save_client(client)
    assert "Traceback" not in str(error.value)


def test_options_injected_by_a_program_name_do_not_allow_a_save(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    p4 = connect(server, prog='x" --user=build --groups=build-farm --home=/nowhere "')
    is_judged = takes_names(p4)
    with pytest.raises(P4Exception, match="no-whole-depot" if is_judged else NO_SUCH_NAME):
        save(p4, ["//depot/... //ws/..."])
    if is_judged:
        [record] = warden.log()
        assert (record["user"], record["verdict"]) == ("(tampered line)", "refuse")


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


@pytest.mark.parametrize("option", ["--groups=build-farm", "--triggers-io=1", "--on-error=allow"])
def test_a_user_name_that_ends_in_a_quotation_mark_does_not_bypass_a_rule(
    warden: Warden, server: Server, connect: ClientFactory, option: str
) -> None:
    warden.install(POLICY.format(mode="enforce"))
    # The server must create the user `ann"` itself, because no user form can contain that name.
    # Delete another user first, as the number of users is limited without a license.
    connect(server, server.super_user).run("user", "-d", "-f", "bob")
    p4 = connect(server, user='ann"', prog=f"x {option}")
    with pytest.raises(P4Exception, match="no-whole-depot" if takes_names(p4) else NO_SUCH_NAME):
        save(p4, ["//depot/... //ws/..."], Owner="ann")
