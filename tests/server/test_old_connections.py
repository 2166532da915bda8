"""Tests of connections that keep an old triggers table, after an upgrade or an uninstallation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4

from p4warden.asking import gate_program
from p4warden_sandbox import Sandbox, Settings
from support.pasted import advice, paste
from support.triggers import table, write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits: [{per: [user], allow: 1 per 1h, burst: 2}]
  - {name: views, rule: limit_view_scope, mode: enforce, forms: [client]}
"""
FSTAT = ("fstat", "//depot/main/README")
OPTIONS = {
    "ip": "clientip",
    "groups": "groups",
    "command": "command",
    "user": "user",
    "client": "client",
    "prog": "clientprog",
}


@pytest.fixture
def server() -> Iterator[Sandbox]:
    with Sandbox(Settings(variants={"table": "connection"})) as sandbox:
        yield sandbox


def old_line(home: Path) -> str:
    """Return a trigger line for commands that no release writes, without `--line=`."""
    fixed_options = [f"--home={home}", "--on-error=deny", "--triggers-io=0"]
    name_options = [f"--{name}=%{variable}%" for name, variable in OPTIONS.items()]
    words = " ".join(f"%quote%{option}%quote%" for option in fixed_options + name_options)
    gate = gate_program.find()
    return f'\tp4warden.command command pre-user-fstat$ "{gate} command {words}"\n'


def passes(p4: P4, *commands: tuple[str, ...]) -> list[bool]:
    """Run p4 commands; return for each whether it passed all triggers."""
    results = []
    with p4.at_exception_level(P4.RAISE_NONE):
        for command in commands:
            p4.run(*command)
            results.append(not any("validation failed" in error for error in p4.errors))
    return results


def test_a_line_of_another_release_gets_the_declared_answer_and_doctor_names_it(
    server: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY)
    write(connect(server, server.super_user), f"Triggers:\n{old_line(warden.home)}")
    old = connect(server)
    assert passes(old, FSTAT) == [False]

    assert "1 added, 1 updated, 0 removed" in warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    assert "--line=1" in table(connect(server, server.super_user))
    assert passes(old, FSTAT) == [False]
    assert passes(connect(server, user="bob"), *[FSTAT] * 3) == [True, True, False]
    report = warden.must("doctor")
    assert "the trigger line was not written by this release of p4warden" in report


@pytest.mark.parametrize("table_read", ["command", "connection"])
def test_doctor_names_users_of_trigger_lines_of_an_older_policy(
    tmp_path: Path, connect: ClientFactory, table_read: str
) -> None:
    with Sandbox(Settings(variants={"table": table_read})) as server:
        warden = Warden(server, tmp_path)
        warden.install(POLICY)
        old = connect(server)
        warden.activate(POLICY.replace("burst: 2", "burst: 3"))
        assert passes(old, FSTAT) == [True]
        assert "old lines" not in warden.must("doctor")

        warden.install(POLICY.replace("forms: [client]", "forms: [client, stream]"))
        assert passes(connect(server, user="bob"), FSTAT) == [True]
        assert passes(old, FSTAT) == [True]
        output = warden.must("doctor")
        has_old_lines = table_read == "connection"
        assert (
            "old lines: 1 account used one within a day: ann (last 20" in output
        ) == has_old_lines
        assert ("old lines" in output) == has_old_lines

        warden.must("deploy", "rollback", "--yes")
        assert "old lines" not in warden.must("doctor")
        words = "old lines       nobody used lines that a deploy replaced within a day\n"
        assert words in warden.must("status")


@pytest.mark.parametrize("remove_options", [(), ("--remove-files",)])
def test_after_an_uninstall_old_connections_are_allowed_everything(
    server: Sandbox, tmp_path: Path, connect: ClientFactory, remove_options: tuple[str, ...]
) -> None:
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    old = connect(server)
    assert passes(old, *[FSTAT] * 3) == [True, True, False]
    output = warden.must("deploy", "uninstall", "--yes", *remove_options)
    assert f"{warden.home}/off exists, they allow everything" in output
    assert passes(old, *[FSTAT] * 3) == [True] * 3
    old.save_client({**old.fetch_client(), "View": ["//depot/... //ws/..."]})
    if not remove_options:
        report = warden.must("doctor")
        assert "1 account used one within a day: ann (last 20" in report
        assert "uninstalled: triggers that older connections still run allow everything" in report
    assert advice(output)[-1] == f"rm -r {warden.home}"
    paste(warden, advice(output)[-1])
    assert not warden.home.exists()


def test_a_deployment_after_an_uninstall_limits_commands_again(
    server: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    warden.must("deploy", "uninstall", "--yes")
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    assert passes(connect(server), *[FSTAT] * 3) == [True, True, False]


def test_p4warden_stays_switched_off_through_a_deployment(
    server: Sandbox, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(server, tmp_path)
    warden.install(POLICY)
    warden.must("deploy", "uninstall", "--yes")
    warden.must("off")
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply", "--no-verify")
    assert passes(connect(server), *[FSTAT] * 3) == [True] * 3
