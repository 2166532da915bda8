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
    from collections.abc import Iterator, Mapping

_FOLDER = ".p4warden-sandbox"
_PRIVATE = 0o700
_PRIVATE_FILE = 0o600


class Setup(NamedTuple):
    """`user` is the first user, or empty; `configurables` are those of -cset."""

    unicode: bool = False
    user: str = ""
    configurables: Mapping[str, str] = {}


class RootFolder:
    """Created if missing, or P4WardenError; accessible to its owner only."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own_folder = root / _FOLDER
        try:
            self._own_folder.mkdir(_PRIVATE, exist_ok=True)
        except OSError as error:
            raise P4WardenError(f"{root}: {error.strerror}; specify a folder with -r") from None

    @property
    def temp(self) -> Path:
        folder = self._own_folder / "tmp"
        folder.mkdir(_PRIVATE, exist_ok=True)
        return folder

    @property
    def errors(self) -> Path:
        """The keeper's standard error."""
        return self._own_folder / "errors"

    @property
    def is_there(self) -> bool:
        return self._own_folder.is_dir()

    @property
    def setup(self) -> Setup:
        try:
            return Setup(**json.loads((self._own_folder / "setup.json").read_text("utf-8")))
        except FileNotFoundError:
            return Setup()

    def set_up(self, setup: Setup) -> None:
        new = self._own_folder / "setup.new"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(setup._asdict(), stream)
        new.replace(self._own_folder / "setup.json")

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Yield the lock's descriptor; keepers start, and end for lack of use, under it."""
        handle = os.open(self._own_folder / "lock", os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield handle
        finally:
            os.close(handle)

    def connect(self) -> socket.socket | None:
        """Return a connection to the root's keeper; None if none runs."""
        connection = new_socket()
        try:
            with self._at_hand() as address:
                connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return None
        return connection

    def listen(self) -> socket.socket:
        self.forget()
        listener = new_socket()
        with self._at_hand() as address:
            listener.bind(address)
            Path(address).chmod(_PRIVATE_FILE)
        listener.listen(64)
        return listener

    def forget(self) -> None:
        (self._own_folder / "socket").unlink(missing_ok=True)

    @contextlib.contextmanager
    def _at_hand(self) -> Iterator[str]:
        """Through /proc, because the addresses of Unix sockets have at most 107 bytes."""
        handle = os.open(self._own_folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{handle}/socket"
        finally:
            os.close(handle)


def new_socket() -> socket.socket:
    """Return a Unix socket that keeps message boundaries."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
