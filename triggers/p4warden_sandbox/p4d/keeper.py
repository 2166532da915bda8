from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden_sandbox.accounts import Accounts
from p4warden_sandbox.connections import Connections, wake
from p4warden_sandbox.p4d.handover import Handover, receive
from p4warden_sandbox.processes import TriggerProcesses
from p4warden_sandbox.server import new_server
from p4warden_sandbox.store import Store
from p4warden_sandbox.trigger_variables import ServerFacts

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from p4warden_sandbox.call import Server
    from p4warden_sandbox.p4d.root_folder import RootFolder
    from p4warden_sandbox.settings import Settings

LINGER_S = 10.0
_LOOK_S = 0.5


class Keeper:
    """Sandbox processes that run in place of p4d accept its clients and pass them on."""

    def __init__(self, folder: RootFolder, settings: Settings) -> None:
        self._folder = folder
        self._children = TriggerProcesses(folder.root, settings)
        self._connections = Connections()
        self._fronts: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._last_used_s = time.monotonic()
        self._server = self._new_server(settings)

    def run(self, ready: Callable[[], None]) -> None:
        """Serve until the root is deleted or unused for `LINGER_S` seconds."""
        with self._folder.listen() as listener:
            listener.settimeout(_LOOK_S)
            ready()
            while not self._is_over(listener):
                with contextlib.suppress(TimeoutError):
                    self._take(listener.accept()[0])
        self._children.stop()

    def _new_server(self, settings: Settings) -> Server:
        facts = ServerFacts("", str(self._folder.root), settings.server_version)
        store = Store(settings)
        return new_server(settings, facts, store, Accounts(), self._children, self._folder.temp)

    def _is_over(self, listener: socket.socket) -> bool:
        # The socket of an unused root is removed first, under the lock of the root, so that no
        # process can connect to a keeper that ends; a process that already waits is accepted.
        if not self._folder.is_there:
            return True
        if self._fronts or time.monotonic() - self._last_used_s < LINGER_S:
            return False
        with self._folder.locked():
            listener.settimeout(0)
            try:
                connection = listener.accept()[0]
            except BlockingIOError:
                self._folder.forget()
                return True
        listener.settimeout(_LOOK_S)
        self._take(connection)
        return False

    def _take(self, front: socket.socket) -> None:
        with self._lock:
            self._fronts.add(front)
        threading.Thread(target=self._serve, args=(front,), daemon=True).start()

    def _serve(self, front: socket.socket) -> None:
        """Shut down the clients' sockets when their process ends or passes no more clients."""
        clients: list[socket.socket] = []
        while (handover := receive(front)) is not None:
            clients.append(handover.connection)
            self._connect(front, handover)
        for client in clients:
            wake(client)
        with self._lock:
            self._fronts.discard(front)
            self._last_used_s = time.monotonic()
        front.close()

    def _connect(self, front: socket.socket, handover: Handover) -> None:
        facts = self._server.facts._replace(address=handover.address)
        settings = self._server.settings._replace(unicode=self._folder.setup.unicode)
        server = replace(self._server, facts=facts, settings=settings)
        ended = (lambda: wake(front)) if handover.is_only else (lambda: None)
        self._connections.serve(handover.connection, server, handover.peer_ip, ended)


def start(folder: RootFolder, settings: Settings, lock: int) -> None:
    """Return when the keeper listens or could not start."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.close(lock)
            _detach(folder, writer)
            Keeper(folder, settings).run(lambda: os.close(writer))
        finally:
            os._exit(0)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)


def _detach(folder: RootFolder, open_handle: int) -> None:
    """Error output goes to a file; all inherited files except `open_handle` are closed."""
    os.setsid()
    errors = os.open(folder.errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, handle in enumerate((nothing, nothing, errors)):
        os.dup2(handle, number)
    for entry in list(Path("/proc/self/fd").iterdir()):
        handle = int(entry.name)
        if handle not in {0, 1, 2, open_handle}:
            with contextlib.suppress(OSError):
                os.close(handle)
