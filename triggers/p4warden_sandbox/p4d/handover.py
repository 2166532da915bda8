from __future__ import annotations

import contextlib
import os
import socket
from typing import NamedTuple

_LOCAL = "127.0.0.1"
_MESSAGE_BYTES = 1024
_FILES = 2


class Handover(NamedTuple):
    """`address` is the p4d process's port; `is_only` for its only client, on standard input."""

    connection: socket.socket
    address: str
    peer_ip: str
    is_only: bool


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


def _connection(files: list[int]) -> tuple[socket.socket, str]:
    for spare in files[1:]:
        os.close(spare)
    connection = socket.socket(fileno=files[0])
    if connection.family is socket.AF_UNIX:
        return connection, _LOCAL
    with contextlib.suppress(OSError):
        return connection, connection.getpeername()[0]
    return connection, _LOCAL
