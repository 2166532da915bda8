"""Tests of the TCP relay of `p4warden prove` that turns a mark in sent text into a NUL byte."""

import socket

import pytest

from p4warden.prove.relay import relay


@pytest.mark.parametrize(
    ("message", "expected"), [(b"prog~nul~x", b"prog\0nul\0x"), (b"\2\0~nu l~\0", b"\2\0~nu l~\0")]
)
def test_the_relay_replaces_marks_by_nul_bytes_without_a_change_of_length(
    message: bytes, expected: bytes
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"127.0.0.1:{server.getsockname()[1]}"
        for answer in (b"first", b"second"):
            with relay(port) as way, socket.create_connection(_address(way)) as client:
                client.sendall(message)
                server_socket, _ = server.accept()
                with server_socket:
                    assert server_socket.recv(100) == expected
                    server_socket.sendall(answer)
                assert client.recv(100) == answer
                assert client.recv(100) == b""


def test_a_mark_in_two_pieces_becomes_a_nul_and_a_mark_in_an_answer_stays() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"127.0.0.1:{server.getsockname()[1]}"
        with relay(port) as way, socket.create_connection(_address(way)) as client:
            client.sendall(b"~~prog~n")
            server_socket, _ = server.accept()
            with server_socket, server_socket.makefile("rb") as stream:
                assert stream.read(6) == b"~~prog"
                client.sendall(b"ul~x~nul")
                client.shutdown(socket.SHUT_WR)
                assert stream.read() == b"\0nul\0x~nul"
                server_socket.sendall(b"~nul~")
            assert client.recv(100) == b"~nul~"


def _address(port: str) -> tuple[str, int]:
    host, _, number = port.partition(":")
    return host, int(number)
