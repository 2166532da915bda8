"""The sandbox's own folder within the root of a p4d, accessible to its owner only."""

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
    """The setup of a root by `-x`: unicode mode or not, and the first user."""

    unicode: bool = False
    user: str = ""


class RootFolder:
    """The sandbox's own folder within a server root, created at its first use.

    Raises:
        P4WardenError: the root cannot be used.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own = root / _FOLDER
        try:
            self._own.mkdir(_PRIVATE, exist_ok=True)
        except OSError as error:
            raise P4WardenError(f"{root}: {error.strerror}; name a folder with -r") from None

    @property
    def temp(self) -> Path:
        """The folder for the files that pass forms to triggers, created if missing."""
        folder = self._own / "tmp"
        folder.mkdir(_PRIVATE, exist_ok=True)
        return folder

    @property
    def errors(self) -> Path:
        """The file for the error output of the keeper."""
        return self._own / "errors"

    @property
    def is_there(self) -> bool:
        """Whether the sandbox's folder within the server root still exists."""
        return self._own.is_dir()

    @property
    def setup(self) -> Setup:
        """The stored setup of this server root, or the default one."""
        try:
            return Setup(**json.loads((self._own / "setup.json").read_text("utf-8")))
        except FileNotFoundError:
            return Setup()

    def set_up(self, setup: Setup) -> None:
        """Store the setup of this server root as setup.json."""
        new = self._own / "setup.new"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(setup._asdict(), stream)
        new.replace(self._own / "setup.json")

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Lock the root for starting or ending a keeper; yield the lock's file."""
        handle = os.open(self._own / "lock", os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield handle
        finally:
            os.close(handle)

    def connect(self) -> socket.socket | None:
        """Return a connection to the keeper; None if there is no keeper."""
        connection = new_socket()
        try:
            with self._at_hand() as address:
                connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        return connection

    def listen(self) -> socket.socket:
        """Return the listening socket through which other processes reach the root's keeper."""
        self.forget()
        listener = new_socket()
        with self._at_hand() as address:
            listener.bind(address)
            Path(address).chmod(_PRIVATE_FILE)
        listener.listen(64)
        return listener

    def forget(self) -> None:
        """Remove the file of the socket on which the root's keeper listens."""
        (self._own / "socket").unlink(missing_ok=True)

    @contextlib.contextmanager
    def _at_hand(self) -> Iterator[str]:
        """Yield the socket's address through an open folder; addresses have at most 107 bytes."""
        handle = os.open(self._own, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{handle}/socket"
        finally:
            os.close(handle)


def new_socket() -> socket.socket:
    """Return a socket for communication with the keeper, which preserves message boundaries."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
