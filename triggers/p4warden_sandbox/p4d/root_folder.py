"""The sandbox's own folder in a p4d server root, accessible to its owner only."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = ".p4warden-sandbox"
_PRIVATE = 0o700
_PRIVATE_FILE = 0o600


class Setup(NamedTuple):
    """Settings of a server root that `p4d -x` stored: Unicode mode, and first user (or empty)."""

    unicode: bool = False
    user: str = ""


class RootFolder:
    """The sandbox's own folder in a server root, for files such as socket, lock and settings.

    It is created if missing.

    Raises:
        P4WardenError: the folder cannot be created.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own_folder = root / _FOLDER
        try:
            self._own_folder.mkdir(_PRIVATE, exist_ok=True)
        except OSError as error:
            raise P4WardenError(f"{root}: {error.strerror}; specify a folder with -r") from None

    @property
    def temp(self) -> Path:
        """The folder for the temporary files of triggers; created if missing."""
        folder = self._own_folder / "tmp"
        folder.mkdir(_PRIVATE, exist_ok=True)
        return folder

    @property
    def errors(self) -> Path:
        """Path of the error output file of the keeper, the root's sandbox server process."""
        return self._own_folder / "errors"

    @property
    def is_there(self) -> bool:
        """Whether the sandbox's folder in the server root still exists."""
        return self._own_folder.is_dir()

    @property
    def setup(self) -> Setup:
        """Unicode mode and first user of this server root, as `p4d -x` set them, or defaults."""
        try:
            return Setup(**json.loads((self._own_folder / "setup.json").read_text("utf-8")))
        except FileNotFoundError:
            return Setup()

    def set_up(self, setup: Setup) -> None:
        """Store the settings of this server root in its file setup.json."""
        new = self._own_folder / "setup.new"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(setup._asdict(), stream)
        new.replace(self._own_folder / "setup.json")

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Hold the lock of a server root during a `with` block; yield the lock file's descriptor.

        The root's keeper process is started, and ends for lack of use, under this lock.
        """
        handle = os.open(self._own_folder / "lock", os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield handle
        finally:
            os.close(handle)

    def connect(self) -> socket.socket | None:
        """Return a connection to the root's keeper process; None if no such process runs."""
        connection = new_socket()
        try:
            with self._at_hand() as address:
                connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        return connection

    def listen(self) -> socket.socket:
        """Create and return the keeper's Unix socket, to which p4d processes connect."""
        self.forget()
        listener = new_socket()
        with self._at_hand() as address:
            listener.bind(address)
            Path(address).chmod(_PRIVATE_FILE)
        listener.listen(64)
        return listener

    def forget(self) -> None:
        """Remove the Unix socket file on which the keeper process of this server root listens."""
        (self._own_folder / "socket").unlink(missing_ok=True)

    @contextlib.contextmanager
    def _at_hand(self) -> Iterator[str]:
        """Yield a short address of the keeper process's socket, valid during the `with` block.

        It leads through a folder's descriptor in /proc, because the addresses of Unix sockets have
        at most 107 bytes.
        """
        handle = os.open(self._own_folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{handle}/socket"
        finally:
            os.close(handle)


def new_socket() -> socket.socket:
    """Return a new Unix socket for connections of sandbox processes run as p4d to the keeper.

    The keeper is the process that runs the sandbox server. The socket keeps message boundaries.
    """
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
