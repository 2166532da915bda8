from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

from p4warden_sandbox.session import Session
from p4warden_sandbox.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden_sandbox.call import Server


class Connections:
    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []
        self._open_connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_stopping = False

    def accept(self, listener: socket.socket, server: Server) -> None:
        while True:
            try:
                connection, (peer_ip, _) = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.serve(connection, server, peer_ip)

    def serve(
        self,
        connection: socket.socket,
        server: Server,
        peer_ip: str,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """Start a thread that serves one client; it calls `ended` after closing the connection."""
        arguments = (connection, server, peer_ip, ended)
        thread = threading.Thread(target=self._serve, args=arguments)
        with self._lock:
            if self._is_stopping:
                connection.close()
                return
            self._open_connections.add(connection)
            self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
            thread.start()

    def stop(self) -> None:
        with self._lock:
            self._is_stopping = True
            for connection in self._open_connections:
                wake(connection)

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _serve(
        self, connection: socket.socket, server: Server, peer_ip: str, ended: Callable[[], None]
    ) -> None:
        wire = Wire(connection)
        try:
            Session(server, wire, peer_ip).run()
        finally:
            with self._lock:
                self._open_connections.discard(connection)
            wire.close()
            ended()


def wake(connection: socket.socket) -> None:
    """Shut down a socket of the sandbox server, so that the thread that waits on it continues."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
