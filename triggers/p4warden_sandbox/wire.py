# A frame is five bytes of header and a payload. The payload is a sequence of name, NUL, four bytes
# of length, value, NUL. A message consists of these pairs in the same order: a name may occur
# twice, and an empty name marks a positional argument (Perforce API source: rpc/rpctrans.cc for
# the header, rpc/rpcbuff.cc for the pairs). Values are bytes in the protocol; inside the sandbox
# they are text decoded with surrogate escapes, which always encodes back to the same bytes.

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Mapping

HEADER_BYTES = 5
MIN_PAYLOAD_BYTES = 11
MAX_PAYLOAD_BYTES = 0x1FFFFFFF

_LENGTH = struct.Struct("<I")


class WireError(Exception):
    """Error: received bytes violate Perforce's protocol; the connection cannot be used further."""


class DisconnectedError(Exception):
    """Error: the other side closed the protocol connection, or did not answer as asked."""


def to_text(value: bytes) -> str:
    """Decode protocol bytes as UTF-8 with surrogate escapes, so that `to_bytes` restores them."""
    return value.decode("utf-8", "surrogateescape")


def to_bytes(value: str) -> bytes:
    """Return the protocol bytes that `to_text` decoded to this text."""
    return value.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Message:
    """Pairs are in the order of transmission; that of `func` names the called function."""

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, func: str, values: Mapping[str, str] | None = None) -> Message:
        return cls((*(values or {}).items(), ("func", func)))

    def get(self, name: str) -> str | None:
        """Return the first value; empty for a flag, None if there is none."""
        return next((value for key, value in self.pairs if key == name), None)

    def text(self, name: str) -> str:
        return self.get(name) or ""

    @property
    def func(self) -> str:
        return self.text("func")

    @property
    def arguments(self) -> list[str]:
        """A p4 command's arguments are the values without names."""
        return [value for key, value in self.pairs if not key]


def encode(message: Message) -> bytes:
    """Return a protocol message as one frame: checksum, length, and name and value pairs."""
    payload = b"".join(_pair(to_bytes(name), to_bytes(value)) for name, value in message.pairs)
    length = _LENGTH.pack(len(payload))
    return bytes([_checksum(length)]) + length + payload


def payload_bytes(header: bytes) -> int:
    """Return a payload's length in bytes; raise WireError if the frame's header is not valid."""
    length = header[1:]
    (count,) = _LENGTH.unpack(length)
    if header[0] != _checksum(length) or not MIN_PAYLOAD_BYTES <= count < MAX_PAYLOAD_BYTES:
        raise WireError(f"no frame starts with {header.hex()}")
    return int(count)


def decode(payload: bytes) -> Message:
    """Return the message in a payload; raise WireError if a name or value is cut short."""
    pairs = []
    position = 0
    while position < len(payload):
        name_end = payload.find(b"\0", position)
        start = name_end + 1 + _LENGTH.size
        if name_end < 0 or start > len(payload):
            raise WireError("a name is cut short")
        (count,) = _LENGTH.unpack_from(payload, name_end + 1)
        if payload[start + count : start + count + 1] != b"\0":
            raise WireError("a value is cut short")
        pairs.append(
            (to_text(payload[position:name_end]), to_text(payload[start : start + count]))
        )
        position = start + count + 1
    return Message(tuple(pairs))


class Wire:
    """Written messages are sent by `flush`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")
        self._unsent_bytes: list[bytes] = []

    def read(self) -> Message:
        """Return the next message; raise WireError or DisconnectedError.

        A `flush1` message, with which a client that sends much data waits for the server, is
        answered and not returned (Perforce API source rpc/rpc.cc).
        """
        while (message := self._read_message()).func == "flush1":
            pairs = tuple(pair for pair in message.pairs if pair[0] != "func")
            self.write(Message((*pairs, ("func", "flush2"))))
            self.flush()
        return message

    def _read_message(self) -> Message:
        return decode(self._read(payload_bytes(self._read(HEADER_BYTES))))

    def _read(self, count: int) -> bytes:
        try:
            content = self._reader.read(count)
        except OSError:
            raise DisconnectedError from None
        if len(content) < count:
            raise DisconnectedError
        return content

    def write(self, *messages: Message) -> None:
        """Buffer protocol messages until the next `flush`, as sending each small frame is slow."""
        self._unsent_bytes.extend(map(encode, messages))

    def flush(self) -> None:
        """Raise DisconnectedError if the other side has closed the connection."""
        unsent, self._unsent_bytes = self._unsent_bytes, []
        try:
            self._connection.sendall(b"".join(unsent))
        except OSError:
            raise DisconnectedError from None

    def close(self) -> None:
        self._reader.close()
        self._connection.close()


def _pair(name: bytes, value: bytes) -> bytes:
    return name + b"\0" + _LENGTH.pack(len(value)) + value + b"\0"


def _checksum(length: Iterable[int]) -> int:
    result = 0
    for byte in length:
        result ^= byte
    return result
