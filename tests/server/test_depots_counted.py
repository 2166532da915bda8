"""Tests of creating depots on a server where a p4warden rule limits their number."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden.home import server_account

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = pytest.mark.touches("table", "saves", "form-fields")

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {{name: depot-count, rule: limit_depot_count, mode: enforce, {limit}}}
"""


def make(p4: P4, name: str) -> str:
    depot = p4.run("depot", "-o", name)[0]
    p4.input = depot
    return str(p4.run("depot", "-i")[0])


def number(p4: P4) -> int:
    return len(p4.run("depots"))


def test_a_depot_beyond_the_limit_is_refused_by_a_count_from_the_server(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server, user=server.super_user)
    most = number(p4) + 1
    warden.install(POLICY.format(limit=f"max: {most}"))

    assert make(p4, "first") == "Depot first saved."
    with pytest.raises(P4Exception) as error:
        make(p4, "second")
    text = str(error.value)
    message = f"cannot be created: this server already has {most} depots"
    assert f"{message}, and at most {most} are allowed" in text
    assert "Make a directory in an existing depot instead" in text
    assert number(p4) == most
    assert make(p4, "first") in ("Depot first saved.", "Depot first not changed.")


def test_depots_are_counted_by_stored_facts_if_the_server_is_unreachable(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server, user=server.super_user)
    warden.install(POLICY.format(limit=f"max: {number(p4)}"))
    home = str(warden.home)
    server_account.write(home, server_account.read(home) | {"port": "localhost:1"})

    with pytest.raises(P4Exception, match=r"depots? \(as of the last p4warden refresh, because "):
        make(p4, "new")
    assert "because the server could not be reached" in warden.log()[-1]["detail"]
    assert "localhost:1" in warden.log()[-1]["trouble"]


@pytest.mark.parametrize("limit", ["max: {most}", "max_by_type: {{stream: {streams}}}"])
def test_two_concurrent_depot_creations_do_not_exceed_the_limit(
    server: Server, warden: Warden, connect: ClientFactory, limit: str
) -> None:
    admin = connect(server, user=server.super_user)
    most = number(admin) + 1
    streams = sum(depot["type"] == "stream" for depot in admin.run("depots")) + 1
    warden.install(POLICY.format(limit=limit.format(most=most, streams=streams)))
    clients = [connect(server, user=server.super_user) for _ in range(2)]
    refusals: list[str] = []

    def create(p4: P4, name: str) -> None:
        p4.input = f'Depot:\t{name}\nType:\t"stream"\nMap:\t{name}/...\n'
        try:
            p4.run("depot", "-i")
        except P4Exception as error:
            refusals.append(str(error))

    threads = [
        threading.Thread(target=create, args=(p4, f"new{index}"))
        for index, p4 in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert number(admin) == most
    assert len(refusals) == 1
