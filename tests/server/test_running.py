from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.p4d


@pytest.fixture
def warden(server: Server, tmp_path: Path) -> Warden:
    return Warden(server, tmp_path)


def test_the_running_command_is_shown_with_its_program(
    warden: Warden, server: Server, connect: ClientFactory
) -> None:
    connect(server, user=server.super_user).run("configure", "set", "monitor=1")
    text = warden.must("running", "--once", home=False)
    assert text.startswith(f"{server.port}: ")
    assert "monitor" in text
    document = json.loads(warden.must("running", "--json", home=False))
    [own] = [one for one in document["processes"] if one["command"] == "monitor"]
    assert own["user"] == server.super_user
    assert own["program"].startswith("p4warden")
    assert own["args"] == "show -ael"
    assert own["age_s"] is not None


@pytest.mark.state(protections="filled")
def test_an_ordinary_account_sees_the_list_without_arguments(
    warden: Warden, server: Server, connect: ClientFactory
) -> None:
    connect(server, user=server.super_user).run("configure", "set", "monitor=1")
    connect(server, user="ann")
    document = json.loads(warden.must("running", "--json", "--user", "ann", home=False))
    [own] = [one for one in document["processes"] if one["user"] == "ann"]
    assert own["args"] is None
    assert own["program"] is None


def test_metrics_are_written_for_node_exporter(
    warden: Warden, server: Server, connect: ClientFactory, tmp_path: Path
) -> None:
    connect(server, user=server.super_user).run("configure", "set", "monitor=1")
    file = tmp_path / "running.prom"
    assert warden.must("running", "--metrics", str(file), home=False) == ""
    assert 'p4warden_running_commands{command="monitor"} 1' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_server_that_does_not_monitor_is_named_with_the_remedy(
    warden: Warden, server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server, user=server.super_user)
    p4.run("configure", "set", "monitor=0")
    error = warden.must("running", code=1, home=False)
    command = "p4 configure set monitor=1"
    assert f"{server.port} does not monitor its commands" in error
    assert command in error
    p4.run(*command.split()[1:])
    warden.must("running", "--once", home=False)
