"""Tests of `p4 server`, `p4 servers`, `p4 monitor` and `p4 groups` on the sandbox server."""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory, Server
from support.triggers import Install
from support.waiting_commands import WaitingCommands


def save_server(admin: P4, name: str, **fields: str) -> list[str]:
    return admin.save_server({**admin.fetch_server(name), **fields})


def test_server_forms_are_saved_listed_and_deleted(admin: P4) -> None:
    assert save_server(admin, "main", Services="commit-server") == ["Server main saved."]
    save_server(admin, "edge", Services="edge-server", Address="edge:1666")
    save_server(admin, "gate", Type="broker", Services="broker")

    rows = {row["ServerID"]: row for row in admin.run("servers")}

    assert [rows[name]["Services"] for name in ("main", "edge", "gate")] == [
        "commit-server",
        "edge-server",
        "broker",
    ]
    assert (rows["edge"]["Type"], rows["edge"]["Address"]) == ("server", "edge:1666")
    assert admin.run("server", "-d", "edge") == ["Server edge deleted."]
    assert "edge" not in {row["ServerID"] for row in admin.run("servers")}


@pytest.mark.state(protections="filled")
def test_only_the_super_user_can_save_a_server_form(
    server: Server, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception, match="You don't have permission"):
        save_server(connect(server), "main")


@pytest.mark.state(server_id="set")
def test_services_in_the_servers_own_form_appear_in_info_and_in_triggers(
    sandbox: Sandbox, connect: ClientFactory, install: Install
) -> None:
    admin = connect(sandbox, sandbox.super_user)
    assert admin.run("serverid") == [{"serverID": "sandbox"}]
    assert admin.run("info")[0]["serverServices"] == "standard"

    save_server(admin, "sandbox", Services="commit-server")
    install(sandbox, 'no command pre-user-depots$ "fail on a %serverservices%"')

    assert admin.run("info")[0]["serverServices"] == "commit-server"
    with pytest.raises(P4Exception, match="on a commit-server"):
        admin.run("depots")


def test_a_server_has_no_id_until_one_is_set(admin: P4) -> None:
    with pytest.raises(P4Exception, match="Server does not yet have a server ID"):
        admin.run("serverid")
    assert not {"ServerID", "serverID"} & {*admin.run("info")[0]}

    admin.run("serverid", "main")

    assert admin.run("info")[0]["ServerID"] == "main"


def test_a_form_save_trigger_can_refuse_a_server_form(
    admin: P4, server: Server, install: Install
) -> None:
    install(server, 'no form-save server "fail hands off"')

    with pytest.raises(P4Exception, match="'no' validation failed: hands off"):
        save_server(admin, "main")


def test_monitor_show_lists_running_commands_with_user_arguments_and_program(
    sandbox: Sandbox, connect: ClientFactory, waiting: WaitingCommands
) -> None:
    admin = connect(sandbox, sandbox.super_user)
    admin.run("configure", "set", "monitor=1")
    poller = connect(sandbox, "bob", prog="poller")
    waiting.begin(sandbox, "command pre-user-depots$", [poller], "depots", "-t", "local")

    other, own = admin.run("monitor", "show", "-a", "-e")
    waiting.end()

    assert (other["user"], other["command"], other["args"]) == ("bob", "depots", "-t local")
    assert other["prog"].startswith("poller ")
    assert (own["user"], own["command"], own["status"]) == (
        sandbox.super_user,
        "monitor",
        "R",
    )
    assert len(connect(sandbox).run("monitor", "show")) == 1


def test_monitor_show_is_refused_until_monitoring_is_switched_on(
    server: Server, admin: P4, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception, match="Monitor not currently enabled"):
        connect(server).run("monitor", "show")
    admin.run("configure", "set", "monitor=1")
    assert connect(server).run("monitor", "show")


@pytest.mark.state(protections="filled")
def test_arguments_are_shown_to_super_users_only(
    server: Server, admin: P4, connect: ClientFactory
) -> None:
    admin.run("configure", "set", "monitor=1")
    with pytest.raises(P4Exception, match="You don't have permission for this operation"):
        connect(server).run("monitor", "show", "-a")


def test_monitor_show_prints_an_untagged_line_for_each_command(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox, sandbox.super_user)
    p4.run("configure", "set", "monitor=1")

    with p4.while_tagged(t=False):
        (line,) = p4.run("monitor", "show", "-l")

    number, *others = line.split()
    assert (number.isdigit(), others) == (
        True,
        ["R", p4.user, "00:00:00", "monitor", "show", "-l"],
    )


def group_names(p4: P4, *arguments: str) -> list[str]:
    return [*dict.fromkeys(row["group"] for row in p4.run("groups", *arguments))]


@pytest.fixture
def groups(admin: P4) -> P4:
    admin.save_group({**admin.fetch_group("qa"), "Users": ["ann"], "Owners": ["bob"]})
    admin.save_group({**admin.fetch_group("all"), "Subgroups": ["qa"], "Users": ["carol"]})
    return admin


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], ["all", "build-farm", "qa"]),
        (["ann"], ["qa"]),
        (["-i", "ann"], ["all", "qa"]),
        (["-u", "ann"], ["qa"]),
        (["-i", "-u", "ann"], ["all", "qa"]),
        (["qa"], ["all"]),
        (["-g", "qa"], ["all"]),
        (["-o", "bob"], ["qa"]),
        (["-u", "bob"], []),
        (["-m", "1"], ["all"]),
    ],
)
def test_groups_lists_the_groups_that_its_options_select(
    groups: P4, arguments: list[str], names: list[str]
) -> None:
    assert group_names(groups, *arguments) == names


def test_groups_rows_mark_users_owners_and_subgroups(groups: P4) -> None:
    rows = [(r["user"], r["isSubGroup"], r["isOwner"], r["isUser"]) for r in groups.run("groups")]

    assert ("ann", "0", "0", "1") in rows
    assert ("bob", "0", "1", "0") in rows
    assert ("qa", "1", "0", "0") in rows
    form = groups.fetch_group("all")
    assert (form["Subgroups"], form["Users"]) == (["qa"], ["carol"])
