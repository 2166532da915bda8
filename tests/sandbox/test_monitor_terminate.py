"""Tests of `p4 monitor terminate` on the sandbox: rights, the least runtime, the victim's end."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.servers import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory
    from support.triggers import Install, Script


class Victim:
    """A command of bob's that waits in its trigger until it may go on."""

    def __init__(self, p4: P4, folder: Path) -> None:
        self._go, self._start = folder / "go", folder / "started"
        self.errors: list[str] = []
        self._p4, self._thread = p4, Thread(target=self._run)

    @property
    def script(self) -> str:
        return f"touch {self._start}; until [ -e {self._go} ]; do sleep 0.02; done"

    def begin(self) -> None:
        self._thread.start()
        while not self._start.exists():
            self._thread.join(0.02)

    def end(self) -> None:
        self._go.touch()
        self._thread.join()

    def _run(self) -> None:
        with self._p4.at_exception_level(P4.RAISE_NONE):
            self._p4.run("depots")
        self.errors = [str(error) for error in self._p4.errors]


@pytest.fixture(params=[0, 60])
def aged(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(Settings(aged_s=request.param)) as sandbox:
        yield sandbox


@pytest.fixture
def victim(
    aged: Sandbox, connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> Iterator[Victim]:
    connect(aged, aged.super_user).run("configure", "set", "monitor=1")
    victim = Victim(connect(aged, "bob"), tmp_path)
    install(aged, f'wait command pre-user-depots$ "{script(victim.script)}"')
    connect.anew()
    victim.begin()
    yield victim
    victim.end()


def number_of(admin: P4) -> str:
    [row] = [row for row in admin.run("monitor", "show", "-ael") if row["command"] == "depots"]
    return str(row["id"])


def state_of(admin: P4) -> str:
    [row] = [row for row in admin.run("monitor", "show", "-ael") if row["command"] == "depots"]
    return str(row["status"])


def test_only_a_command_of_ten_seconds_is_marked_and_ends_at_its_next_check(
    aged: Sandbox, connect: ClientFactory, victim: Victim
) -> None:
    admin = connect(aged, aged.super_user)
    number = number_of(admin)
    [text] = admin.run("monitor", "terminate", number, tagged=False)
    is_old = aged.settings.aged_s > 0
    assert text == (
        f"** process '{number}' marked for termination **"
        if is_old
        else f"** process '{number}' can't terminate, runtime < 10 seconds **"
    )
    assert state_of(admin) == ("T" if is_old else "R")
    victim.end()
    ended = ["Command terminated by 'p4 monitor terminate'."]
    assert victim.errors == (ended if is_old else [])


def test_others_may_not_and_owners_only_if_the_server_lets_them(
    aged: Sandbox, connect: ClientFactory, victim: Victim
) -> None:
    admin = connect(aged, aged.super_user)
    number = number_of(admin)
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
