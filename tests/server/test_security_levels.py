"""Tests of p4warden on servers that require tickets: use of a ticket, advice without one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from P4 import P4

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASKING = [
    (("refresh",), 1),
    (("deploy", "plan"), 2),
    (("deploy", "verify"), 1),
    (("census",), 1),
]
SECRET = "a-Strong-1"  # noqa: S105 - of a server that lives for one test


@pytest.fixture(params=["3", "4", "by-default"])
def server(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Fixture: a sandbox server at a security level that requires tickets."""
    with Sandbox(Settings(variants={"security": request.param})) as sandbox:
        yield sandbox


def test_deploy_refresh_and_uninstall_succeed_with_a_ticket(
    server: Sandbox, tmp_path: Path
) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    warden.must("refresh")
    warden.must("deploy", "uninstall", "--yes")


@pytest.mark.parametrize(("words", "code"), ASKING, ids=str)
def test_a_missing_ticket_is_reported_with_the_p4_login_command_in_one_line(
    server: Sandbox, tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY)
    tickets = tmp_path / "none"
    warden.settings["P4TICKETS"] = str(tickets)

    output = warden.must(*words, code=code)

    assert output == (
        f"p4warden: p4admin@{server.port}: not logged in; "
        f"run P4TICKETS={tickets} p4 -p {server.port} -u p4admin login\n"
    )


def test_a_missing_password_is_reported_with_the_p4_passwd_command_to_run(tmp_path: Path) -> None:
    new = Settings(super_user="", users=(), groups=(), streams=(), variants={"security": "4"})
    with Sandbox(new) as server:
        warden = Warden(server, tmp_path)
        warden.settings["P4USER"] = "root"
        tickets = server.tickets_file
        assert warden.must("refresh", code=1) == (
            f"p4warden: root@{server.port}: the server requires a new password for this account "
            f"first; run P4TICKETS={tickets} p4 -p {server.port} -u root passwd\n"
        )


def test_an_account_that_has_to_change_its_password_is_reported(tmp_path: Path) -> None:
    with Sandbox(Settings(variants={"security": "by-default"})) as server:
        tickets = tmp_path / "tickets"
        shutil.copy(server.tickets_file, tickets)
        port = server.port
        with P4(port=port, user="p4admin", ticket_file=str(tickets)).connect() as admin:
            admin.run("user", "-d", "-f", "bob")
            admin.save_user(admin.fetch_user("bob"), "-f")
            admin.input = [SECRET, SECRET]
            admin.run("passwd", "bob")
            admin.run("login", "bob")
        warden = Warden(server, tmp_path)
        warden.settings |= {"P4USER": "bob", "P4TICKETS": str(tickets)}

        assert warden.must("refresh", code=1) == (
            f"p4warden: bob@{port}: the server requires a new password for this account first; "
            f"run P4TICKETS={tickets} p4 -p {port} -u bob passwd\n"
        )


def test_pulse_reports_a_missing_ticket_once_with_the_p4_login_command(
    server: Sandbox, tmp_path: Path
) -> None:
    warden = Warden(server, tmp_path)
    warden.prepare(POLICY)
    tickets = tmp_path / "none"
    warden.settings["P4TICKETS"] = str(tickets)

    output = warden.must("pulse", "--once", "--path", "//depot/x", "--client", "c", code=1)

    assert output.partition("\n")[2] == (
        f"p4warden: connect: p4admin@{server.port}: not logged in; "
        f"run P4TICKETS={tickets} p4 -p {server.port} -u p4admin login\n"
    )
