"""Pass a client from a process of a root to the keeper, as open file descriptors."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from p4warden_sandbox.wire import Connection

_LOCAL = "127.0.0.1"
_MESSAGE_BYTES = 1024
_FILES = 2


class Handover(NamedTuple):
    """A client, its address of the server, and whether it is the only client of its process."""

    connection: Connection
    address: str
    peer_ip: str
    is_only: bool


class Pipes:
    """A client connected through two pipes; it disconnects by closing its ends."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = os.fdopen(writing, "wb", buffering=0)

    def makefile(self, _mode: Literal["rb"], /) -> IO[bytes]:
        """Return a binary file that reads the client's data from the pipe."""
        return os.fdopen(self._reading, "rb")

    def sendall(self, data: bytes, /) -> None:
        """Write all of these bytes to the client's pipe."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._writing.write(rest) :]

    def shutdown(self, _how: int, /) -> None:
        """Do nothing: unlike a socket, a pipe ends when the client closes it."""

    def close(self) -> None:
        """Close the writing end; the file of `makefile` closes the other."""
        self._writing.close()


def send(keeper: socket.socket, address: str, files: list[int]) -> None:
    """Pass a client on: its one socket, or the two ends of its pipes."""
    socket.send_fds(keeper, [address.encode()], files)


def receive(front: socket.socket) -> Handover | None:
    """Return the next client that a process passes on; None after that process has ended."""
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
        return Pipes(*files), _LOCAL
    for spare in files[1:]:
        os.close(spare)
    connection = socket.socket(fileno=files[0])
    if connection.family is socket.AF_UNIX:
        return connection, _LOCAL
    with contextlib.suppress(OSError):
        return connection, connection.getpeername()[0]
    return connection, _LOCAL
