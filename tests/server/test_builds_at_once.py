"""Tests of builds that sync at the same moment, where p4warden limits how many run at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from gate.connections import Stay, most_at_once
from p4warden.home import decision_log
from p4warden_sandbox import Sandbox, Settings
from support.real_server import RealServer
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.servers import ClientFactory, Server
    from support.triggers import Install

pytestmark = [
    pytest.mark.touches("processes", "command-name", "command-pattern", "post-user-triggers")
]

POLICY = """\
version: 1
contact: "admins@example.com"
rules:
  - name: syncs-at-once
    rule: limit_concurrent_commands
    mode: enforce
    commands: [sync]
    limits: [{{per: [], at_most: {at_most}}}]
    {action}
"""
DELAY = "action: delay\n    max_delay: 60s"
SYNC = ("sync", "-n", "//depot/main/...")
ROW = {"rule": "syncs-at-once"}
P4D = str(Path(__file__).parents[1] / "support" / "p4d")


@pytest.fixture
def server(request: pytest.FixtureRequest, connect: ClientFactory) -> Iterator[Server]:
    """Fixture: a sandbox with a process for each connection, as a p4d has."""
    variants = {"processes": getattr(request, "param", "connection")}
    with Sandbox(Settings(variants=variants)) as sandbox:
        p4 = connect(sandbox)
        p4.save_client({**p4.fetch_client(), "View": ["//depot/main/... //ws/..."]})
        yield sandbox


def build(p4: P4, runs_s: float) -> Stay:
    """Sync, and keep the connection; return from when to when that was."""
    p4.run(*SYNC)
    began_s = time.monotonic()
    time.sleep(runs_s)
    ended_s = time.monotonic()
    p4.disconnect()
    return Stay(began_s, ended_s)


def at_once(clients: list[P4], runs_s: float) -> list[Stay]:
    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(lambda p4: build(p4, runs_s), clients))


def install_without_ends(
    server: Server, warden: Warden, connect: ClientFactory, text: str
) -> None:
    """Install p4warden without its line for ends: a sync counts until its connection ends."""
    warden.install(text)
    admin = connect(server, server.super_user)
    lines = admin.fetch_triggers()["Triggers"]
    admin.save_triggers({"Triggers": [line for line in lines if "command-end" not in line]})
    connect.anew()


def test_builds_wait_for_each_other(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_ends(server, warden, connect, POLICY.format(at_most=2, action=DELAY))
    stays = at_once([connect(server) for _ in range(6)], 0.3)
    assert most_at_once(stays) == 2
    assert [record["verdict"] for record in warden.log()] == ["delay"]


def test_running_tells_those_that_wait_from_those_that_run(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_ends(server, warden, connect, POLICY.format(at_most=1, action=DELAY))
    connect(server, server.super_user).run("configure", "set", "monitor=1")
    first, *others = [connect(server) for _ in range(3)]
    first.run(*SYNC)
    with ThreadPoolExecutor(2) as pool:
        syncs = [pool.submit(build, p4, 0) for p4 in others]
        wait_until(lambda: warden.counts()["at_once"] == [ROW | {"running": 1, "waiting": 2}])
        text = warden.must("running", "--once")
        first.disconnect()
        assert all(sync.result() for sync in syncs)
    assert "syncs-at-once: 1 run, 2 more wait for their turn\n" in text


def test_a_build_too_many_is_refused_and_another_command_is_not(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_ends(server, warden, connect, POLICY.format(at_most=1, action=""))
    first, second = connect(server), connect(server, user="bob")
    first.run(*SYNC)
    with pytest.raises(P4Exception) as error:
        second.run(*SYNC)
    text = str(error.value)
    assert "is one too many at once: the limit for all users together is 1, and 1 runs." in text
    second.run("files", "//depot/main/...")
    first.run(*SYNC)
    first.disconnect()
    wait_until_it_runs(second)


def test_a_command_that_has_ended_keeps_no_place_while_its_connection_lasts(
    server: Server, warden: Warden, connect: ClientFactory, install: Install
) -> None:
    warden.install(POLICY.format(at_most=1, action=DELAY))
    install(server, 'slow command pre-user-sync$ "sleep 0.3"', keep=True)
    clients = [connect(server) for _ in range(3)]
    began_s = time.monotonic()
    with ThreadPoolExecutor(len(clients)) as pool:
        assert len(list(pool.map(lambda p4: p4.run(*SYNC), clients))) == 3
    assert 3 * 0.3 < time.monotonic() - began_s < 10
    assert {record["verdict"] for record in warden.log()} == {"delay"}


def test_no_place_outlasts_the_death_of_its_process(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    install_without_ends(server, warden, connect, POLICY.format(at_most=1, action=DELAY))
    for number in range(6):
        clients = [connect(server) for _ in range(4)]
        with ThreadPoolExecutor(len(clients)) as pool:
            syncs = [pool.submit(p4.run, *SYNC) for p4 in clients]
            time.sleep(number * 0.05)
            while not all(sync.done() for sync in syncs):
                for pid in children(os.getpid()):
                    for killed in children(pid) if number % 2 else [pid]:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(killed, signal.SIGKILL)
                time.sleep(0.05)
        last = connect(server)
        for p4 in clients:
            p4.disconnect()
        last.run(*SYNC)
        last.disconnect()


@pytest.mark.long
@pytest.mark.parametrize("triggers_die", [True, False])
def test_no_place_outlasts_a_killed_server_and_what_waited_ends(
    tmp_path: Path, connect: ClientFactory, monkeypatch: pytest.MonkeyPatch, *, triggers_die: bool
) -> None:
    monkeypatch.setenv("P4WARDEN_SANDBOX_PYTHON", sys.executable)
    monkeypatch.setenv("P4WARDEN_SANDBOX_VARIANTS", "processes=connection")
    policy = POLICY.format(at_most=2, action=DELAY)
    with RealServer(P4D, tmp_path) as server, ThreadPoolExecutor(6) as pool:
        warden = Warden(server, tmp_path, connect)
        install_without_ends(server, warden, connect, policy)
        clients = [connect(server) for _ in range(6)]
        clients[0].save_client(clients[0].fetch_client())
        syncs = [pool.submit(p4.run, *SYNC) for p4 in clients]
        wait_until(lambda: warden.counts()["at_once"] == [ROW | {"running": 2, "waiting": 4}])
        processes = descendants(server.pid)
        gates = [pid for pid in processes if b"p4warden-gate" in command_of(pid)]
        for pid in (server.pid, *processes):
            if triggers_die or pid not in gates:
                with contextlib.suppress(ProcessLookupError):  # it ended with the server
                    os.kill(pid, signal.SIGKILL)
        assert [sync.exception() is None for sync in syncs].count(True) == 2
        assert len(gates) == 4
        wait_until(lambda: not any(map(command_of, gates)))
    connect.close()
    with RealServer(P4D, tmp_path) as server:
        warden = Warden(server, tmp_path, connect)
        install_without_ends(server, warden, connect, policy)
        clients = [connect(server) for _ in range(6)]
        clients[0].save_client(clients[0].fetch_client())
        assert most_at_once(at_once(clients, 0.3)) == 2
        wait_until(lambda: warden.counts()["at_once"] == [ROW | {"running": 0, "waiting": 0}])


def descendants(pid: int) -> list[int]:
    return [one for child in children(pid) for one in (child, *descendants(child))]


def command_of(pid: int) -> bytes:
    """Return the words of a process, none of one that has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """Return the processes that p4d's stand-ins for connections are, or those that one started."""
    numbers: list[int] = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = file.read_text("utf-8", "replace").rpartition(")")[2].split()[1]
            is_one = b"connection_process.py" in (file.parent / "cmdline").read_bytes()
            if int(parent) == pid and (is_one or pid != os.getpid()):
                numbers.append(int(file.parent.name))
    return numbers


@pytest.mark.parametrize("server", ["server"], indirect=True)
def test_without_a_process_for_each_connection_all_are_allowed_and_doctor_says_so(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY.format(at_most=1, action=""))
    with named("one-process"):
        for user in ("ann", "bob"):
            connect(server, user=user).run(*SYNC)
    assert warden.counts()["unknown"] == 2
    damaged = {"time": time.time(), "verdict": "unknown", "rule": "syncs-at-once", "count": "x"}
    decision_log.append(str(warden.home), json.dumps(damaged))
    assert "3 commands of the last day could not be counted" in warden.run("doctor").output


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Name this process otherwise than the one that started it, as which it would pass for p4d."""
    own = Path("/proc/self/comm")
    before = own.read_text("utf-8")
    own.write_text(name, "utf-8")
    try:
        yield
    finally:
        own.write_text(before, "utf-8")


@pytest.mark.long
def test_sixty_builds_at_once(server: Server, warden: Warden, connect: ClientFactory) -> None:
    install_without_ends(server, warden, connect, POLICY.format(at_most=8, action=DELAY))
    clients = [connect(server) for _ in range(60)]
    bystander = connect(server, user="bob")
    alone_s = slow_answer_s(bystander, 1)
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(slow_answer_s, bystander, 60 / 8)
        began_s = time.monotonic()
        stays = at_once(clients, 1)
    assert most_at_once(stays) <= 8
    # Eight rounds of a second; below 10 ms other processes of the machine tell more than the rule.
    assert max(stay.ended_s for stay in stays) - began_s < 8 * 1.2
    assert beside.result() < 2 * max(alone_s, 0.01)


def slow_answer_s(p4: P4, for_s: float) -> float:
    """Ask about files again and again; return the time that 95 % of the answers take at most."""
    took_s, end_s = [], time.monotonic() + for_s
    while (began_s := time.monotonic()) < end_s:
        p4.run("files", "//depot/main/...")
        took_s.append(time.monotonic() - began_s)
    return sorted(took_s)[int(len(took_s) * 0.95)]


def wait_until_it_runs(p4: P4) -> None:
    """Sync again until the end of another connection is noticed."""
    with p4.at_exception_level(P4.RAISE_NONE):
        wait_until(lambda: p4.run(*SYNC) is None or not p4.errors)
