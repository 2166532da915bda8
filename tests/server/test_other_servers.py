"""Tests of the other servers that run the triggers table: named before the table is written."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from p4warden_sandbox import Sandbox, Settings
from support.policies import OBSERVED, POLICY
from support.servers import SERVER_ROWS, list_servers
from support.triggers import table, write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory

RUNNING = [row["ServerID"] for row in SERVER_ROWS if row["runs"] and row["ServerID"] != "commit-1"]


@pytest.fixture
def commit() -> Iterator[Sandbox]:
    with Sandbox(Settings(server_id="commit-1")) as server:
        yield server


@pytest.fixture
def admin(commit: Sandbox, connect: ClientFactory) -> P4:
    return connect(commit, user=commit.super_user)


@pytest.fixture
def warden(commit: Sandbox, tmp_path: Path, connect: ClientFactory) -> Warden:
    return Warden(commit, tmp_path, connect)


def planned(warden: Warden, policy: str = POLICY) -> str:
    warden.prepare(policy)
    return warden.must("deploy", "plan", code=1)


def policy_file(folder: Path, text: str) -> str:
    file = folder / "other.yaml"
    file.write_text(text)
    return str(file)


def named(*names: str) -> list[str]:
    return [word for name in names for word in ("--ready-on", name)]


def doctor(warden: Warden) -> list[dict[str, str]]:
    checks = json.loads(warden.must("status", "--json"))
    return [check for check in checks if check["name"] == "other servers"]


def test_exactly_the_servers_that_run_triggers_must_be_named(warden: Warden, admin: P4) -> None:
    list_servers(admin)
    planned(warden)
    rows = json.loads(warden.must("deploy", "plan", "--json", code=1))["servers"]
    states = {row["id"]: row["state"] for row in rows}
    assert states == {
        row["ServerID"]: "unnamed" if row["runs"] else "no triggers"
        for row in SERVER_ROWS
        if row["ServerID"] != "commit-1"
    }
    before = table(admin)
    output = warden.must("deploy", "apply", "--no-verify", *named(*RUNNING[1:]), code=1)
    assert f"deploy apply --home {warden.home}" in output
    assert output.count("--ready-on edge-1") == 1
    assert "Nothing was written: p4d on these servers refuses commands" in output
    assert table(admin) == before
    warden.must("deploy", "apply", "--no-verify", *named(*RUNNING))
    assert table(admin) != before


def test_the_plan_shows_each_server_and_what_is_known_of_it(warden: Warden, admin: P4) -> None:
    list_servers(admin, "commit-1", "edge-1", "standby-1", "broker-1")
    lines = planned(warden).splitlines()
    start = lines.index("Other servers of this installation:")
    assert lines[start + 1 : start + 4] == [
        "  broker-1   broker       broker:1666                runs no triggers",
        "  edge-1     edge-server  ssl:edge.example.com:1666  not named yet",
        "  standby-1  standby                                 not named yet",
    ]
    output = warden.must(
        *("deploy", "plan", "--ready-on", "edge-1", "--exclude", "standby-1"),
        *("--reason", "no failover yet"),
        code=1,
    )
    (step,) = [line for line in output.splitlines() if line.startswith("  p4warden ")]
    warden.must(*shlex.split(step)[1:], "--no-verify", home=False)
    output = warden.must("deploy", "plan")
    assert "edge-1     edge-server  ssl:edge.example.com:1666  named as ready on 20" in output
    assert ": no failover yet" in output


def test_nothing_is_written_not_even_the_policy_until_each_server_is_named(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    list_servers(admin, "commit-1", "edge-1", "standby-1")
    before, file = table(admin), policy_file(tmp_path, OBSERVED)
    warden.must("deploy", "plan", "--policy", file, code=1)
    options = ("--policy", file, "--ready-on", "edge-1", "--no-verify")
    output = warden.must("deploy", "apply", *options, code=1)
    (step,) = [line for line in output.splitlines() if line.startswith("  p4warden ")]
    assert table(admin) == before
    assert {file.name for file in warden.home.iterdir()} == {"deploy.lock", "deploy.plan.json"}
    warden.must(*shlex.split(step)[1:], "--no-verify", home=False)
    assert "p4warden.form-save.client" in table(admin)


def test_a_server_is_asked_for_again_after_a_change_of_the_path_only(
    warden: Warden, admin: P4
) -> None:
    list_servers(admin, "commit-1", "edge-1")
    planned(warden)
    warden.must("deploy", "apply", "--no-verify", "--ready-on", "edge-1")
    planned(warden, POLICY.replace("[client]", "[client, label]"))
    warden.must("deploy", "apply", "--no-verify")

    file = warden.home / "servers.json"
    (entry,) = json.loads(file.read_text())
    assert entry["version"]
    file.write_text(json.dumps([entry | {"program": "/old/p4warden-gate, home /x, form 2"}]))
    planned(warden)
    output = warden.must("deploy", "apply", "--no-verify", code=1)
    assert "to be named again: it was named on 20" in output
    assert "but for /old/p4warden-gate" in output

    list_servers(admin, "build-1")
    output = warden.must("deploy", "apply", "--no-verify", "--ready-on", "edge-1", code=1)
    assert "--ready-on build-1" in output


def test_an_exclusion_is_shown_by_plan_doctor_and_history(warden: Warden, admin: P4) -> None:
    list_servers(admin, "commit-1", "old$edge")
    planned(warden)
    options = ("--exclude", "old$edge", "--reason", "switched off in 2019")
    warden.must("deploy", "apply", "--no-verify", *options)
    assert ": switched off in 2019" in warden.must("deploy", "plan")
    (row,) = [line for line in warden.must("history").splitlines() if " servers " in line]
    assert row.endswith("without old$edge: switched off in 2019")
    (check,) = doctor(warden)
    assert check["state"] == "warning"
    assert check["message"].startswith(
        "old$edge (edge-server) runs the same triggers table: excluded on 20"
    )
    assert check["message"].endswith(": switched off in 2019")
    assert check["remedy"].startswith("if it is gone, p4 server -d 'old$edge'; if it is back")
    admin.run("server", "-d", "old$edge")
    assert doctor(warden)[0]["message"] == "no other server runs triggers"


def test_the_remedies_of_doctor_for_an_unnamed_and_an_excluded_server_work(
    warden: Warden, admin: P4
) -> None:
    warden.install(POLICY)
    list_servers(admin, "commit-1", "standby-1", "old$edge", "broker-1")
    assert {check["state"] for check in doctor(warden)} == {"warning"}
    assert {check["message"] for check in doctor(warden)} == {
        "standby-1 (standby) runs the same triggers table: not named yet",
        "old$edge (edge-server) runs the same triggers table: not named yet",
    }
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply", "--exclude", "old$edge", "--reason", "moving")
    for check in doctor(warden):
        remedy = check["remedy"].partition(" (if it is gone")[0]
        for command in remedy.rpartition("run ")[2].split("; "):
            program, *words = shlex.split(command)
            assert program == "p4warden"
            warden.run(*words, home=False)
    assert {check["state"] for check in doctor(warden)} == {"good"}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--ready-on", "edge-2"), "no other server has the ID edge-2; p4 servers lists: edge-1"),
        (("--ready-on", "commit-1"), "no other server has the ID commit-1"),
        (("--exclude", "edge-1"), "--exclude ID and --reason TEXT belong together"),
        (("--exclude", "edge-1", "--reason", " "), "--exclude ID and --reason TEXT belong"),
        (("--ready-on", "edge-1", "--reason", "why"), "--exclude ID and --reason TEXT belong"),
        (
            ("--ready-on", "edge-1", "--exclude", "edge-1", "--reason", "why"),
            "edge-1 is named by --ready-on and by --exclude; choose one",
        ),
    ],
)
def test_wrong_names_are_errors(
    warden: Warden, admin: P4, options: tuple[str, ...], error: str
) -> None:
    list_servers(admin, "commit-1", "edge-1")
    planned(warden)
    for command in ("apply", "plan"):
        result = warden.run("deploy", command, *options)
        assert result.code in {1, 2}
        assert error in result.output
    assert not (warden.home / "servers.json").exists()


def test_uninstall_and_a_rollback_without_lines_are_never_held_up(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    before = table(admin)
    warden.install(POLICY)
    warden.must("deploy", "plan", "--policy", policy_file(tmp_path, OBSERVED), code=1)
    warden.must("deploy", "apply", "--policy", policy_file(tmp_path, OBSERVED), "--no-verify")
    list_servers(admin, "commit-1", "edge-1")
    warning = "Warning: these servers run the same lines and are not named as ready: edge-1"
    assert warning in warden.must("deploy", "rollback", "--yes")
    (warden.home / "servers.json").write_text("{")
    warden.must("deploy", "uninstall", "--yes")
    assert table(admin) == before
    assert "is damaged; remove it" in warden.must("deploy", "rollback", "--yes", code=1)
    assert table(admin) == before


def test_a_rollback_that_adds_lines_waits_until_each_server_is_named(
    warden: Warden, admin: P4
) -> None:
    warden.install(POLICY)
    lines = table(admin)
    warden.must("deploy", "uninstall", "--yes")
    without = table(admin)
    list_servers(admin, "commit-1", "edge-1")
    output = warden.must("deploy", "rollback", "--yes", code=1)
    [advice] = [line for line in output.splitlines() if line.startswith("  p4warden deploy")]
    assert table(admin) == without
    assert not (warden.home / "servers.json").exists()
    assert "Done: written" in warden.must(*shlex.split(advice)[1:], "--yes", home=False)
    assert table(admin) == lines
    assert "ready on edge-1" in warden.must("history")


def test_a_server_without_an_id_may_be_any_of_the_listed_ones(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings(server_id="")) as server:
        warden = Warden(server, tmp_path)
        list_servers(connect(server, user=server.super_user), "commit-1", "proxy-1")
        output = planned(warden)
        assert "this server has no server ID, so one of these may be this server itself" in output
        assert "--ready-on commit-1" in warden.must("deploy", "apply", code=1)
        warden.must("deploy", "apply", "--no-verify", "--ready-on", "commit-1")


def test_a_server_that_lists_no_servers_needs_no_names(warden: Warden, admin: P4) -> None:
    assert "Other servers" not in planned(warden)
    warden.must("deploy", "apply", "--no-verify")
    assert admin.run("servers") == []


def test_if_the_list_cannot_be_read_all_other_servers_are_named_together(
    warden: Warden, admin: P4
) -> None:
    write(admin, 'Triggers:\n\tno command pre-user-servers$ "/bin/false"\n')
    output = planned(warden)
    assert "unlisted    " in output
    assert "p4 servers gave no answer (" in output
    output = warden.must("deploy", "apply", "--no-verify", code=1)
    assert "--ready-on unlisted" in output
    options = ("--exclude", "unlisted", "--reason", "there is one server")
    warden.must("deploy", "apply", "--no-verify", *options)
    assert {check["state"] for check in doctor(warden)} == {"unknown", "warning"}
    warden.must("deploy", "uninstall", "--yes")
