"""Tests of the sandbox server's start and stop, many clients, and triggers that call it back."""

import os
import select
import socket
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden.core.errors import P4WardenError
from p4warden_sandbox import Sandbox, Settings
from support.servers import ClientFactory, Server
from support.triggers import Install, Script

PATIENCE_S = 20
CALL_BACK = """
import sys
from P4 import P4
p4 = P4(port=sys.argv[1], user="bob", client="inner", ticket_file=sys.argv[3])
p4.connect()
p4.save_label({"Label": sys.argv[2], "View": ["//depot/..."]})
p4.disconnect()
"""


def test_the_sandbox_listens_on_the_loopback_address(sandbox: Sandbox) -> None:
    host, _, number = sandbox.port.partition(":")

    assert host == "127.0.0.1"
    socket.create_connection((host, int(number))).close()


def test_the_sandboxs_temporary_folder_is_private_and_deleted_on_stop() -> None:
    with Sandbox() as sandbox:
        root = sandbox.root
        assert root.parent == Path(tempfile.gettempdir())
        assert root.stat().st_mode & 0o777 == 0o700
        assert sorted(path.name for path in root.iterdir()) == ["passwords", "tickets", "tmp"]
    assert not root.exists()


def test_a_chosen_sandbox_folder_is_kept_but_emptied_on_stop(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with Sandbox(Settings(root=root)) as sandbox:
        assert sandbox.root == root
        assert root.stat().st_mode & 0o777 == 0o700
    assert list(root.iterdir()) == []


def test_starting_in_a_nonempty_folder_or_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    tmp_path.chmod(0o755)

    with pytest.raises(P4WardenError, match="not empty; specify a new folder for the sandbox"):
        Sandbox(Settings(root=tmp_path)).start()
    with pytest.raises(P4WardenError, match="File exists; specify a new folder"):
        Sandbox(Settings(root=tmp_path / "file")).start()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_stopping_the_sandbox_ends_its_threads_and_connections() -> None:
    before = set(threading.enumerate())
    sandbox = Sandbox().start()
    p4 = P4(port=sandbox.port, user="ann").connect()
    p4.run("depots")

    sandbox.stop()

    assert set(threading.enumerate()) == before
    with pytest.raises(P4Exception):
        p4.run("depots")
    with pytest.raises(P4Exception, match="Connect to server failed"):
        P4(port=sandbox.port).connect()


def test_stopping_the_sandbox_kills_the_child_processes_of_triggers(
    install: Install, script: Script, tmp_path: Path
) -> None:
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    sandbox = Sandbox().start()
    # The trigger's child is in a process group of its own and holds a named pipe open, so the end
    # of the pipe shows that stopping the sandbox killed the child.
    text = f"set -m; (exec 3> {pipe}; echo started >&3; cat /dev/zero > /dev/null) & wait"
    install(sandbox, f"t command pre-user-depots {script(text)}")
    thread = threading.Thread(target=run_and_fail, args=(sandbox,))
    thread.start()

    with pipe.open() as holder:
        assert holder.readline() == "started\n"
        sandbox.stop()
        assert select.select([holder], [], [], PATIENCE_S)[0] == [holder]
        assert holder.read() == ""
    thread.join()


def run_and_fail(sandbox: Sandbox) -> None:
    with pytest.raises(P4Exception):
        P4(port=sandbox.port, user="ann").connect().run("depots")


def test_a_trigger_can_run_commands_on_the_server_that_started_it(
    server: Server, connect: ClientFactory, install: Install, script: Script
) -> None:
    program = script(f"exec {sys.executable} -c '{CALL_BACK}' \"$@\"")
    words = f"%serverport% %formname% {server.tickets_file}"
    install(server, f't form-save client "{program} {words}"')
    p4 = connect(server)

    assert p4.save_client("Client: ws\nRoot: /r\n") == ["Client ws saved."]
    assert p4.run("labels")[0]["label"] == "ws"


def test_a_slow_trigger_does_not_delay_commands_of_other_users(
    server: Server, connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    install(server, f't form-save client "{script(f"cat {gate} > /dev/null")}"')
    slow, quick = connect(server), connect(server, "bob", "bob-ws")
    thread = threading.Thread(target=slow.save_client, args=("Client: ws\nRoot: /r\n",))
    thread.start()

    assert quick.save_label({"Label": "l"}) == ["Label l saved."]
    assert quick.run("clients") == []
    gate.write_text("go on")
    thread.join()
    assert [client["client"] for client in quick.run("clients")] == ["ws"]


def test_forms_of_eight_simultaneous_clients_are_all_saved(
    server: Server, connect: ClientFactory
) -> None:
    clients = [connect(server, client=f"ws-{n}") for n in range(8)]

    def work(p4: P4) -> list[str]:
        return [line for _ in range(5) for line in p4.save_client(p4.fetch_client())]

    with ThreadPoolExecutor(len(clients)) as pool:
        output = list(pool.map(work, clients))

    assert [lines[0] for lines in output] == [f"Client ws-{n} saved." for n in range(8)]
    assert len(clients[0].run("clients")) == 8


def test_invalid_bytes_close_only_the_connection_that_sent_them(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    host, _, number = sandbox.port.partition(":")
    with socket.create_connection((host, int(number))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert connection.recv(100) == b""

    assert len(connect(sandbox).run("depots")) == 3
