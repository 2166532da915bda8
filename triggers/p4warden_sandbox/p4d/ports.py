from __future__ import annotations

import errno
import os
import socket

from p4warden.core.errors import P4WardenError

_LOCAL = "127.0.0.1"
_HOSTS = frozenset({"", "localhost", _LOCAL})
_PROTOCOLS = ("tcp:", "tcp4:")


def listen(port: str) -> socket.socket:
    """Return a socket that listens on loopback; raise P4WardenError for other or bad ports."""
    plain = port
    for protocol in _PROTOCOLS:
        plain = plain.removeprefix(protocol)
    host, _, number = plain.rpartition(":")
    if host not in _HOSTS or not (number.isascii() and number.isdigit()):
        raise P4WardenError(f"-p {port}: write 127.0.0.1:PORT; the sandbox serves no other host")
    try:
        return socket.create_server((_LOCAL, int(number)))
    except (OverflowError, ValueError):
        raise P4WardenError(f"-p {port}: write a port from 1 to 65535") from None
    except OSError as error:
        reason = os.strerror(error.errno or errno.EINVAL)
        raise P4WardenError(f"-p {port}: {reason}; choose another port") from None
