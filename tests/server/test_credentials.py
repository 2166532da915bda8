"""Tests of p4warden without a valid ticket or super access, and with unusable servers.

Each case prints one line with the remedy and leaves no partial changes. p4warden never handles a
password; it uses the tickets that `p4 login` created.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from typing import TYPE_CHECKING, NamedTuple

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.server.connection import Address, connected
from support.policies import POLICY
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.servers import ClientFactory, Server


class QueryCommand(NamedTuple):
    """A p4warden command that queries the server, and its exit code when the query fails."""

    words: tuple[str, ...]
    code: int


ASKING = [
    QueryCommand(("refresh",), 1),
    QueryCommand(("deploy", "plan"), 2),
    QueryCommand(("deploy", "apply"), 1),
]


@pytest.fixture
def warden(server: Server, tmp_path: Path) -> Warden:
    """Fixture: an installation with an active policy and the server's facts, not yet deployed."""
    warden = Warden(server, tmp_path)
    warden.activate(POLICY)
    warden.must("refresh")
    return warden


@pytest.fixture(params=ASKING, ids=lambda asking: " ".join(asking.words))
def fails(request: pytest.FixtureRequest, warden: Warden) -> Callable[..., str]:
    """Fixture: a function that runs a command that must fail and returns its error line.

    It also checks that the facts, the policy and the server's address in the home folder stay
    unchanged.
    """
    asking: QueryCommand = request.param

    def run(*options: str) -> str:
        if "apply" in asking.words:
            warden.must("deploy", "plan", code=1)
        before = _files(warden.home)
        output = warden.must(*asking.words, *options, code=asking.code)
        after = _files(warden.home)
        assert {name: after.get(name) for name in KEPT_FILES} == {
            name: before.get(name) for name in KEPT_FILES
        }
        assert output.count("\n") == 1
        assert output.startswith("p4warden: ")
        return output.removeprefix("p4warden: ").rstrip()

    return run


KEPT_FILES = ("facts.json", "server.json", "policy.json")


def _files(home: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in home.rglob("*") if file.is_file()}


def test_a_logged_out_account_is_reported_with_the_p4_login_command_to_run(
    server: Server, connect: ClientFactory, fails: Callable[..., str]
) -> None:
    p4 = connect(server, user="carol", ticket_file=str(server.tickets_file))
    p4.password = server.password_of("carol")
    p4.run_login()
    p4.run("logout")
    output = fails("--user", "carol")
    assert output.startswith(f"carol@{server.port}: ")
    assert output.endswith(
        f"; run P4TICKETS={server.tickets_file} p4 -p {server.port} -u carol login"
    )


@pytest.mark.state(protections="filled")
def test_an_account_without_super_access_is_reported(
    server: Server, fails: Callable[..., str]
) -> None:
    output = fails("--user", "ann")
    assert output.startswith(f"ann@{server.port}: this needs an account with super access")
    assert output.endswith("; specify one with --user")


def test_a_port_without_a_listener_is_reported(fails: Callable[..., str]) -> None:
    assert fails("--port", "127.0.0.1:1") == (
        "127.0.0.1:1: the server cannot be reached; check the port, and that p4d is running"
    )


def test_an_ssl_port_of_a_server_without_tls_is_reported(
    server: Server, fails: Callable[..., str]
) -> None:
    assert fails("--port", f"ssl:{server.port}") == (
        f"ssl:{server.port}: no TLS connection is possible at this port; if the server does not "
        "use TLS, omit ssl:"
    )


def test_a_port_of_a_program_other_than_p4d_is_reported(fails: Callable[..., str]) -> None:
    with _listening(_web_server) as port:
        assert fails("--port", port) == (
            f"{port}: the program listening there is not a Perforce server; check the port"
        )


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a key with")
def test_an_untrusted_server_key_is_reported_with_the_p4_trust_command_to_run(
    tmp_path: Path, fails: Callable[..., str]
) -> None:
    context = _server_context(tmp_path)
    with _listening(lambda connection: _greet(context, connection)) as port:
        output = fails("--port", f"ssl:{port}")
    assert output.startswith(f"ssl:{port}: the server's key ")
    assert (
        " is not trusted yet; compare it with what p4d -Gf prints on the server's host" in output
    )
    assert output.endswith(f" p4 -p ssl:{port} -u p4admin trust")


def test_a_server_without_a_reply_is_a_timeout_error() -> None:
    with _listening(lambda connection: connection.recv(1 << 16)) as port:
        address = Address(port, "ann")
        with pytest.raises(P4WardenError, match="did not answer in time"):  # noqa: SIM117
            with connected(address, wait_s=1) as p4:
                p4.run("info")


def _web_server(connection: socket.socket) -> None:
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    connection.close()


def _server_context(folder: Path) -> ssl.SSLContext:
    key, certificate = str(folder / "key"), str(folder / "certificate")
    certificate_options = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=p4".split()
    command = ["openssl", *certificate_options, "-keyout", key, "-out", certificate]
    subprocess.run(command, capture_output=True, check=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    # If this server sent TLS session tickets, P4Python would close the connection to the untrusted
    # server only after a timeout.
    context.num_tickets = 0
    return context


def _greet(context: ssl.SSLContext, connection: socket.socket) -> None:
    with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as tls:
        tls.recv(1 << 16)


@contextlib.contextmanager
def _listening(serve: Callable[[socket.socket], object]) -> Iterator[str]:
    """Listen on a free port, pass connections one by one to `serve`; yield the port for P4PORT."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connections: list[socket.socket] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connections.append(listener.accept()[0])
                    serve(connections[-1])

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    for connection in connections:
        connection.close()
