# P4Python itself cannot send NUL bytes. In the protocol a value is preceded by its length
# (Perforce C++ API rpc/rpcbuff.cc), so a text can be replaced by another one of the same length.

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MARK, REPLACEMENT = b"~nul~", b"\0nul\0"
"""The client sends the mark, and the relay its replacement to p4d."""

_PIECE_BYTES = 65536


@contextlib.contextmanager
def relay(port: str) -> Iterator[str]:
    """Yield the port of a relay to p4d's port, which serves one connection at a time."""
    host, _, number = port.partition(":")
    with socket.create_server((host, 0)) as listener:
        address = (host, int(number))
        threading.Thread(target=_accept, args=(listener, address), daemon=True).start()
        yield f"{host}:{listener.getsockname()[1]}"
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, address: tuple[str, int]) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client, socket.create_connection(address) as server:
                answers = threading.Thread(
                    target=_pass, args=(_received(server), client), daemon=True
                )
                answers.start()
                _pass(_with_nul(_received(client)), server)
                answers.join()


def _pass(pieces: Iterable[bytes], target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        for piece in pieces:
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _received(source: socket.socket) -> Iterator[bytes]:
    while piece := source.recv(_PIECE_BYTES):
        yield piece


def _with_nul(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The start of a mark at the end of a piece waits for the next piece.

    Messages of the protocol do not end so.
    """
    start = b""
    for piece in pieces:
        piece_text = (start + piece).replace(MARK, REPLACEMENT)
        start = next(MARK[:n] for n in reversed(range(len(MARK))) if piece_text.endswith(MARK[:n]))
        yield piece_text.removesuffix(start)
    yield start
