"""Tests of Perforce protocol frames: decoding a real client's, encoding, and round trips.

Also of damaged frames, frames that arrive in pieces, and clients that disconnect.
"""

import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden_sandbox.wire import (
    HEADER_BYTES,
    DisconnectedError,
    Message,
    Wire,
    WireError,
    decode,
    encode,
    payload_bytes,
    to_bytes,
    to_text,
)

RELEASE = b"\x11\x11\x00\x00\x00func\x00\x07\x00\x00\x00release\x00"

names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
values = st.binary(max_size=40).map(to_text)
messages = st.lists(st.tuples(names, values), min_size=2).map(tuple).map(Message)


@pytest.fixture
def connection() -> Iterator[tuple[socket.socket, Wire]]:
    far_end, near_end = socket.socketpair()
    wire = Wire(near_end)
    with far_end:
        yield far_end, wire
    wire.close()


def test_a_message_is_encoded_as_the_frame_of_a_real_server() -> None:
    assert encode(Message.of("release")) == RELEASE


def test_a_frame_of_a_real_server_is_decoded() -> None:
    assert payload_bytes(RELEASE[:HEADER_BYTES]) == len(RELEASE) - HEADER_BYTES
    assert decode(RELEASE[HEADER_BYTES:]) == Message.of("release")


@given(messages)
def test_an_encoded_message_is_decoded_unchanged(message: Message) -> None:
    frame = encode(message)

    assert payload_bytes(frame[:HEADER_BYTES]) == len(frame) - HEADER_BYTES
    assert decode(frame[HEADER_BYTES:]) == message


@given(st.binary())
def test_bytes_of_any_kind_are_unchanged_by_conversion_to_text(value: bytes) -> None:
    assert to_bytes(to_text(value)) == value


def test_message_arguments_keep_their_order_among_other_values() -> None:
    message = Message((("", "-o"), ("user", "ann"), ("", "ws"), ("user", "bob")))

    assert message.arguments == ["-o", "ws"]
    assert message.get("user") == "ann"
    assert message.get("tag") is None


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(b"\x10\x11\x00\x00\x00", id="checksum"),
        pytest.param(b"\x01\x01\x00\x00\x00", id="too short"),
        pytest.param(b"\xe0\xff\xff\xff\x1f", id="too long"),
        pytest.param(b"GET /", id="another protocol"),
    ],
)
def test_an_invalid_frame_header_is_refused(header: bytes) -> None:
    with pytest.raises(WireError):
        payload_bytes(header)


@pytest.mark.parametrize("end", range(1, len(RELEASE) - HEADER_BYTES))
def test_an_incomplete_payload_is_refused(end: int) -> None:
    with pytest.raises(WireError):
        decode(RELEASE[HEADER_BYTES : HEADER_BYTES + end])


def test_written_messages_are_not_sent_before_the_flush(
    connection: tuple[socket.socket, Wire],
) -> None:
    far_end, wire = connection
    far_end.settimeout(0)
    wire.write(Message.of("release"), Message.of("release"))

    with pytest.raises(BlockingIOError):
        far_end.recv(1)
    wire.flush()
    assert far_end.recv(100) == RELEASE + RELEASE


def test_a_message_that_arrives_byte_by_byte_is_read(
    connection: tuple[socket.socket, Wire],
) -> None:
    far_end, wire = connection
    for byte in RELEASE:
        far_end.send(bytes([byte]))

    assert wire.read() == Message.of("release")


@pytest.mark.parametrize("content", [b"", RELEASE[:3], RELEASE[:9]])
def test_a_disconnect_before_or_within_a_frame_raises_disconnected(
    connection: tuple[socket.socket, Wire], content: bytes
) -> None:
    far_end, wire = connection
    far_end.send(content)
    far_end.close()

    with pytest.raises(DisconnectedError):
        wire.read()
