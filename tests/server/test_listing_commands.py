"""Tests that the commands by which a refusal lists names run as written."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from P4 import P4

from p4warden_sandbox import Sandbox, Settings
from support import servers
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
  - {name: deep-views, rule: limit_view_scope, mode: enforce, min_depth: 2}
  - {name: deep-asks, rule: limit_command_scope, mode: enforce, commands: [files], min_depth: 2}
"""
LISTING = re.compile(r'p4 (?:depots|(?:dirs|streams)(?: "[^"\n]+")+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, Warden]]:
    """Fixture: a server with p4warden, and with depots of a directory, of many and of none."""
    files = [f"//many/dir{number:02}/src/a.c" for number in range(20)]
    folder: Path = tmp_path_factory.mktemp("home")
    with Sandbox(Settings()) as server:
        admin = P4(port=server.port, user=server.super_user)
        admin.ticket_file = str(server.tickets_file)
        with admin.connect() as p4:
            for depot in ("many", "fresh"):
                p4.save_depot({**p4.fetch_depot(depot)})
            for file in files:
                p4.run("populate", "-d", "more", "//depot/main/README", file)
        warden = Warden(server, folder)
        warden.install(POLICY)
        yield server, warden


def refusal(p4: P4, command: str, *words: str) -> str:
    """Return the refusal of a client with a view of these lines, or of a command."""
    if command == "client":
        return servers.refusal_of_view(p4, "ws", *words)
    return "\n".join(servers.refusal(p4, command, *words))


@pytest.mark.parametrize(
    ("asked", "listing"),
    [
        (("client", "//many/... //ws/..."), 'p4 dirs "//many/dir00/*" "//many/dir01/*"'),
        (("client", "//fresh/... //ws/..."), 'p4 dirs "//fresh/*"'),
        (("client", "//many/dir01/... //ws/..."), 'p4 dirs "//many/dir01/*"'),
        (("client", "//many/dir01/... //ws/a/...", "//fresh/... //ws/b/..."), "p4 dirs "),
        (("client", "//streams/... //ws/..."), 'p4 streams "//streams/..."'),
        (("client", "//... //ws/..."), "p4 depots"),
        (("files", "//..."), "p4 depots"),
        (("files", "//many/..."), 'p4 dirs "//many/*"'),
        (("files", "//fresh/..."), 'p4 dirs "//fresh/*"'),
    ],
)
def test_the_command_that_lists_names_runs_as_written(
    asked: tuple[str, ...], listing: str, site: tuple[Sandbox, Warden], connect: ClientFactory
) -> None:
    p4 = connect(site[0], client="ws")
    text = refusal(p4, *asked)
    commands = LISTING.findall(text)
    assert any(command.startswith(listing) for command in commands), text
    with p4.at_exception_level(p4.RAISE_ERROR):
        for command in commands:
            assert isinstance(p4.run(*shlex.split(command)[1:]), list)
