"""Tests of `p4 monitor terminate` on the sandbox: rights, the least runtime, the victim's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.servers import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from P4 import P4

    from support.servers import ClientFactory
    from support.waiting_commands import WaitingCommands


@pytest.fixture
def aged(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(Settings(aged_s=getattr(request, "param", 60))) as sandbox:
        yield sandbox


@pytest.fixture
def victim(aged: Sandbox, connect: ClientFactory, waiting: WaitingCommands) -> WaitingCommands:
    """Fixture: a command of bob's that waits in its trigger until it may go on."""
    connect(aged, aged.super_user).run("configure", "set", "monitor=1")
    waiting.begin(aged, "command pre-user-depots$", [connect(aged, "bob")], "depots")
    return waiting


def of_victim(admin: P4, field: str) -> str:
    [row] = [row for row in admin.run("monitor", "show", "-ael") if row["command"] == "depots"]
    return str(row[field])


@pytest.mark.parametrize("aged", [0, 60], indirect=True)
def test_only_a_command_of_ten_seconds_is_marked_and_ends_at_its_next_check(
    aged: Sandbox, connect: ClientFactory, victim: WaitingCommands
) -> None:
    admin = connect(aged, aged.super_user)
    number = of_victim(admin, "id")
    [text] = admin.run("monitor", "terminate", number, tagged=False)
    is_old = aged.settings.aged_s > 0
    assert text == (
        f"** process '{number}' marked for termination **"
        if is_old
        else f"** process '{number}' can't terminate, runtime < 10 seconds **"
    )
    assert of_victim(admin, "status") == ("T" if is_old else "R")
    victim.end()
    ended = ["Command terminated by 'p4 monitor terminate'."]
    assert victim.errors == {"bob": ended if is_old else []}


def test_others_may_not_and_owners_only_if_the_server_lets_them(
    aged: Sandbox, connect: ClientFactory, victim: WaitingCommands
) -> None:
    admin = connect(aged, aged.super_user)
    number = of_victim(admin, "id")
    for user in ("ann", "bob"):
        [error] = refusal(connect(aged, user), "monitor", "terminate", number)
        assert "You don't have permission for this operation." in error
    admin.run("configure", "set", "db.monitor.term.allow=1")
    refusal(connect(aged, "ann"), "monitor", "terminate", number)
    connect(aged, "bob").run("monitor", "terminate", number)
    victim.end()


@pytest.mark.parametrize("number", ["999", "x", "-"])
def test_a_number_of_no_process_is_an_error(
    aged: Sandbox, connect: ClientFactory, number: str
) -> None:
    admin = connect(aged, aged.super_user)
    admin.run("configure", "set", "monitor=1")
    with pytest.raises(P4Exception, match=f"Invalid session identifier: {number}"):
        admin.run("monitor", "terminate", number)


def test_a_connection_keeps_its_number_over_its_commands(
    aged: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(aged, aged.super_user)
    admin.run("configure", "set", "monitor=1")
    [first] = admin.run("monitor", "show")
    [second] = admin.run("monitor", "show")
    assert first["id"] == second["id"]
