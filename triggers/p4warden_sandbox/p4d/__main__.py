from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.p4d import handover, keeper
from p4warden_sandbox.p4d.command_line import read
from p4warden_sandbox.p4d.root_folder import RootFolder
from p4warden_sandbox.p4d.shape import settings_of, version_text

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden_sandbox.p4d.command_line import CommandLine

_LOCAL = "127.0.0.1"
_HOSTS = frozenset({"", "localhost", _LOCAL})
_PROTOCOLS = ("tcp:", "tcp4:")


def main(arguments: list[str]) -> int:
    """Serve, set up a root or print the version, by p4d's arguments; return the exit status."""
    environment = dict(os.environ)
    try:
        line = read(arguments, environment)
        if line.version:
            _say(version_text(environment))
        elif line.setup:
            _set_up(line)
        elif line.change:
            _configure(line.root, *line.change)
        else:
            _serve(line, environment)
    except P4WardenError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _set_up(line: CommandLine) -> None:
    """`-xi`, `-xn` and `-xne` switch Unicode mode on, `-xnn` off."""
    folder = RootFolder(line.root)
    unicode = line.setup != "nn"
    folder.set_up(folder.setup._replace(unicode=unicode, user=line.user or folder.setup.user))
    if not line.quiet:
        _say("Server switched to Unicode mode." if unicode else "Server set up.")


def _configure(root: Path, name: str, value: str | None) -> None:
    """`-cset` and `-cunset` take effect when the server starts; p4d writes them to db.config."""
    folder = RootFolder(root)
    others = {one: text for one, text in folder.setup.configurables.items() if one != name}
    new = others if value is None else {**others, name: value}
    folder.set_up(folder.setup._replace(configurables=new))


def _serve(line: CommandLine, environment: dict[str, str]) -> None:
    folder = RootFolder(line.root)
    with _attached(folder, line, environment) as root_keeper:
        if line.on_stdin:
            handover.send(root_keeper, line.port, [0, 1])
            root_keeper.recv(1)
            return
        with _listen(line.port) as listener:
            _start(line)
            signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit())
            try:
                _accept(listener, root_keeper, line.port)
            finally:
                _end(root_keeper)


def _attached(folder: RootFolder, line: CommandLine, environment: dict[str, str]) -> socket.socket:
    """Connect to the keeper of a server root, started if necessary, or raise P4WardenError."""
    with folder.locked() as lock:
        reached = folder.connect()
        if reached is None:
            keeper.start(folder, settings_of(line, folder.setup, environment), lock)
            reached = folder.connect()
    if reached is None:
        raise P4WardenError(f"{folder.errors}: the sandbox ended, read why there")
    return reached


def _listen(port: str) -> socket.socket:
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


def _start(line: CommandLine) -> None:
    if not line.quiet:
        _say("The p4warden sandbox, in the shape of p4d, is starting...")


def _accept(listener: socket.socket, root_keeper: socket.socket, address: str) -> None:
    """Return only by a signal or an error."""
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            handover.send(root_keeper, address, [connection.fileno()])


def _end(root_keeper: socket.socket) -> None:
    root_keeper.shutdown(socket.SHUT_WR)
    root_keeper.recv(1)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
