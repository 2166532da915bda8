from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from p4warden_sandbox.wire import Connection

_LOCAL = "127.0.0.1"
_MESSAGE_BYTES = 1024
_FILES = 2


class Handover(NamedTuple):
    """`address` is the p4d process's port; `is_only` for its only client, on standard input."""

    connection: Connection
    address: str
    peer_ip: str
    is_only: bool


class PipeConnection:
    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = os.fdopen(writing, "wb", buffering=0)
        self._lock = threading.Lock()

    def makefile(self, _mode: Literal["rb"], /) -> IO[bytes]:
        return os.fdopen(self._reading, "rb")

    def sendall(self, data: bytes, /) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._writing.write(rest) :]

    def shutdown(self, _how: int, /) -> None:
        """End the data to the client; reading ends when the client then closes its end.

        The pipe is replaced by the null device, because another thread may be writing to it.
        """
        with self._lock, Path(os.devnull).open("wb", buffering=0) as nothing:
            if not self._writing.closed:
                os.dup2(nothing.fileno(), self._writing.fileno(), inheritable=False)

    def close(self) -> None:
        """Closing the file from `makefile` closes the other pipe."""
        with self._lock:
            self._writing.close()


def send(keeper: socket.socket, address: str, files: list[int]) -> None:
    """Pass a client to the keeper, as one socket, or as standard input and output."""
    socket.send_fds(keeper, [address.encode()], files)


def receive(front: socket.socket) -> Handover | None:
    """Wait for the next client; None if its process has ended or passes no more."""
    try:
        message, files, _, _ = socket.recv_fds(front, _MESSAGE_BYTES, _FILES)
    except OSError:
        return None
    if not message:
        return None
    connection, peer_ip = _connection(files)
    return Handover(connection, message.decode(), peer_ip, len(files) == _FILES)


def _connection(files: list[int]) -> tuple[Connection, str]:
    if not stat.S_ISSOCK(os.fstat(files[0]).st_mode):
        return PipeConnection(*files), _LOCAL
    for spare in files[1:]:
        os.close(spare)
    connection = socket.socket(fileno=files[0])
    if connection.family is socket.AF_UNIX:
        return connection, _LOCAL
    with contextlib.suppress(OSError):
        return connection, connection.getpeername()[0]
    return connection, _LOCAL
