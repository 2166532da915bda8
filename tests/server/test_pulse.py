"""Tests of `p4warden pulse`, whose rounds measure p4 commands sent by the unmodified client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.server.connection import Address
from p4warden.workbench.pulse.timed_commands import Arguments, Clocks, measure
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

FILE = "//depot/main/pulse.txt"
COMMANDS = ["info", "print", "fstat", "dirs", "sync -f"]


@pytest.fixture
def warden(server: Server, connect: ClientFactory, tmp_path: Path) -> Warden:
    """Fixture: the `p4warden` command for a server that has a client with one small file."""
    root = tmp_path / "ws"
    root.mkdir()
    p4 = connect(server, user=server.super_user, client="pulse-ws")
    view = ["//depot/main/... //pulse-ws/..."]
    p4.save_client({"Client": "pulse-ws", "Owner": p4.user, "Root": str(root), "View": view})
    (root / "pulse.txt").write_text("beat\n")
    p4.run("add", str(root / "pulse.txt"))
    p4.run("submit", "-d", "a small file")
    warden = Warden(server, tmp_path)
    warden.home.mkdir(mode=0o700)
    return warden


def once(warden: Warden, *options: str, code: int = 0) -> tuple[str, list[dict[str, Any]]]:
    """Run one round of `p4warden pulse`; return the printed text and the recorded measurements."""
    values = ("pulse", "--once", "--path", FILE, *options)
    output = warden.must(*values, code=code)
    log = warden.home / "pulse.jsonl"
    return output, [json.loads(line) for line in log.read_text().splitlines()]


def test_one_round_measures_and_records_each_command(
    warden: Warden, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "ws" / "pulse.txt").unlink()
    output, records = once(warden, "--client", "pulse-ws")
    assert [line[:10].rstrip() for line in output.splitlines()] == COMMANDS
    assert [record["command"] for record in records] == COMMANDS
    assert all(0 < record["lapse_s"] < 60 for record in records)
    assert {record["server"] for record in records} == {server.port}
    assert (tmp_path / "ws" / "pulse.txt").read_text() == "beat\n"
    assert f"5 measurements of {server.port}" in warden.must("pulse", "report")


@pytest.mark.parametrize("options", [(), ("--once",)])
@pytest.mark.parametrize("name", ["missing-ws", "PULSE-WS"])
def test_a_missing_client_ends_it_at_once_and_is_not_created(
    warden: Warden, server: Server, connect: ClientFactory, name: str, options: tuple[str, ...]
) -> None:
    words = ("pulse", "--path", FILE, "--client", name, *options)
    assert warden.must(*words, code=1) == (
        f"p4warden: the server has no client {name}; create it, with a root that this account "
        "can write\n"
    )
    assert not (warden.home / "pulse.jsonl").exists()
    assert [row["client"] for row in connect(server).run("clients")] == ["pulse-ws"]


def test_an_unreachable_server_is_recorded_as_a_connect_error(warden: Warden) -> None:
    _, [record] = once(warden, "--client", "pulse-ws", "--port", "localhost:1", code=1)
    assert (record["server"], record["command"]) == ("localhost:1", "connect")
    assert "lapse_s" not in record


def test_the_lapse_is_measured_with_the_monotonic_clock(warden: Warden, server: Server) -> None:
    ticks = iter(range(0, 10_000, 7))
    clocks = Clocks(lambda: 1803636000.0, lambda: next(ticks))
    address = Address(server.port, server.super_user, warden.settings["P4TICKETS"])
    beats = measure(address, Arguments(FILE, "//depot/*", "pulse-ws"), clocks)
    assert {(beat.time_s, beat.lapse_ns) for beat in beats} == {(1803636000.0, 7)}
