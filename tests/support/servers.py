"""Fixtures: test servers (the sandbox or a real p4d), and P4Python clients connected to them."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.real_server import RealServer
from support.variants import Row

P4D = os.environ.get("P4D") or shutil.which("p4d")
_REAL = [pytest.param("p4d", marks=pytest.mark.p4d)] if P4D else []
SERVER_ROWS: list[dict[str, Any]] = json.loads(
    Path(__file__).parents[1].joinpath("cases", "servers", "servers.json").read_text("utf-8")
)["rows"]
"""The server specs of `tests/cases/servers`, each with whether the server runs."""


class Server(Protocol):
    """Protocol of a running test server: the sandbox or a p4d, with similar initial content."""

    @property
    def port(self) -> str:
        """The test server's address, as a value for P4PORT."""

    @property
    def super_user(self) -> str:
        """Name of the test server's super user, who may write the triggers table."""

    @property
    def tickets_file(self) -> Path:
        """File for P4TICKETS, with tickets of the users who need not type a password."""

    def password_of(self, user: str) -> str:
        """Return a user's password on the test server; empty for a user without one."""


class ClientFactory:
    """Factory of connected P4Python clients that disconnects all of them when a test ends."""

    def __init__(self) -> None:
        self._clients: list[P4] = []

    def __call__(
        self, server: Server, user: str = "ann", client: str = "ws", **settings: str
    ) -> P4:
        """Return a P4Python client connected to a test server, with the user's ticket if any."""
        settings = {"ticket_file": str(server.tickets_file), **settings}
        if isinstance(server, Sandbox) and server.settings.unicode:
            settings.setdefault("charset", "utf8")
        p4 = P4(port=server.port, user=user, client=client, **settings)
        self._clients.append(p4)
        # A command of p4warden that ran in this process has limited it for all later connections.
        p4.set_tunable("net.maxwait", "0")
        p4.connect()
        if isinstance(server, Sandbox) and not server.settings.behaves("security", "0"):
            _log_in(p4, "" if user == server.super_user else server.password_of(user))
        return p4

    def anew(self) -> None:
        """Reconnect all clients of a test, so that they see a newly saved triggers table.

        A server may keep using the old table for connections that were open before.
        """
        for p4 in self._clients:
            if p4.connected():
                p4.disconnect()
                p4.connect()

    def close(self) -> None:
        for p4 in self._clients:
            if p4.connected():
                p4.disconnect()


def _log_in(p4: P4, password: str) -> None:
    if password:
        p4.password = password
        p4.run_login()
        p4.password = ""


def takes_names(p4: P4) -> bool:
    """Tell whether the test server accepts the user, client and program names of a connection.

    No source documents which odd names a real p4d accepts; a server that refuses a name runs no
    trigger.
    """
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run("clients")
    return not p4.errors


@pytest.fixture
def connect() -> Iterator[ClientFactory]:
    """Fixture: `connect(sandbox)` or `connect(sandbox, user="bob")` returns a P4Python client."""
    connections = ClientFactory()
    yield connections
    connections.close()


@pytest.fixture
def sandbox(variant_row: Row) -> Iterator[Sandbox]:
    """Fixture: a new sandbox server with the default users, depots and files."""
    with Sandbox(variant_row.settings) as sandbox:
        yield sandbox


@pytest.fixture(params=["sandbox", *_REAL])
def server(request: pytest.FixtureRequest, tmp_path: Path, variant_row: Row) -> Iterator[Server]:
    """Fixture: a fresh server. The test runs with the sandbox and, if available, a real p4d."""
    if P4D is None or request.param == "sandbox":
        with Sandbox(variant_row.settings) as sandbox:
            yield sandbox
        return
    with RealServer(P4D, tmp_path, variant_row.settings) as real:
        yield real


def list_servers(admin: P4, *names: str) -> None:
    """Save the server specs with these IDs, or all of the case file, with `p4 server -i`."""
    for row in SERVER_ROWS:
        if not names or row["ServerID"] in names:
            admin.input = _server_form(row)
            admin.run("server", "-i")


def _server_form(row: dict[str, Any]) -> str:
    fields = {"Description": "A test server.\n", **row}
    text = fields.pop("Description").strip()
    lines = [f"{name}:\t{value}\n" for name, value in fields.items() if name != "runs"]
    return "".join([*lines, f"Description:\n\t{text}\n"])


def errors(p4: P4, *command: str) -> str:
    """Run a p4 command; return the messages of its errors, "" if it has none."""
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.run(*command)
    return "\n".join(p4.errors)


def refusal_of_view(p4: P4, client: str, *view: str) -> str:
    """Save a client with these view lines, which must fail; return the messages of its errors."""
    with pytest.raises(P4Exception) as error:
        p4.save_client({**p4.fetch_client(client), "View": [*view]})
    return str(error.value)


def refusal(p4: P4, *command: str) -> list[str]:
    """Run a p4 command, which must fail; return the messages of its errors."""
    with pytest.raises(P4Exception) as error:
        p4.run(*command)
    return error.value.errors
