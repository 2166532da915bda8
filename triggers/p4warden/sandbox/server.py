"""A running sandbox: its folder, its port, its threads."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.errors import P4WardenError
from p4warden.sandbox import seed
from p4warden.sandbox.accounts import Accounts
from p4warden.sandbox.call import Server
from p4warden.sandbox.depot_tree import DepotTree
from p4warden.sandbox.processes import Children
from p4warden.sandbox.session import Session
from p4warden.sandbox.settings import Pressure, Settings
from p4warden.sandbox.store import Store
from p4warden.sandbox.trigger_run import Triggers
from p4warden.sandbox.trigger_variables import ServerFacts
from p4warden.sandbox.wire import Wire

if TYPE_CHECKING:
    from types import TracebackType

_LOCAL = "127.0.0.1"
_PRIVATE_FOLDER = 0o700
_TICKETS, _PASSWORDS, _TEMP = "tickets", "passwords", "tmp"


class Sandbox:
    """A throw-away server. Start it, connect to `port`, stop it; or use it in a `with` statement.

    Everything is in memory but the files in `root`, a folder for its owner only: `tickets_file`,
    with which the super user needs no password, `passwords_file`, one `user:password` a line, and
    the temporary forms of triggers.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._threads: set[threading.Thread] = set()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._stopping = False
        self._undo = contextlib.ExitStack()

    def start(self) -> Sandbox:
        """Make the folder and the port, and serve until `stop`.

        Raises:
            P4WardenError: the folder can't be used.
        """
        try:
            self.root = self._make_root()
            self._listener = self._undo.enter_context(socket.create_server((_LOCAL, 0)))
            self.port = f"{_LOCAL}:{self._listener.getsockname()[1]}"
            self._fill()
        except BaseException:
            self._undo.close()
            raise
        self._acceptor = threading.Thread(target=self._accept, name=f"sandbox {self.port}")
        self._acceptor.start()
        return self

    def stop(self) -> None:
        """End every connection, trigger and thread, and remove what was written."""
        with self._lock:
            self._stopping = True
            for connection in self._connections:
                _shut(connection)
        _shut(self._listener)
        self._children.stop()
        self._acceptor.join()
        for thread in list(self._threads):
            thread.join()
        self._undo.close()

    def __enter__(self) -> Sandbox:
        """Start the server."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the server."""
        self.stop()

    @property
    def super_user(self) -> str:
        """The user who may write the triggers table."""
        return self.settings.super_user

    @property
    def tickets_file(self) -> Path:
        """A file for P4TICKETS that holds a ticket of the super user."""
        return self.root / _TICKETS

    @property
    def passwords_file(self) -> Path:
        """The passwords made at start, one `user:password` a line."""
        return self.root / _PASSWORDS

    def password_of(self, user: str) -> str:
        """Return the password made at start for that user, empty when there is none."""
        lines = self.passwords_file.read_text("utf-8").splitlines()
        return next((line.partition(":")[2] for line in lines if line.startswith(f"{user}:")), "")

    def set_pressure(self, pressure: Pressure) -> None:
        """Change what `%pressureCPU%` and `%pressureMem%` stand for from now on."""
        self._server.store.pressure = pressure

    def _make_root(self) -> Path:
        if self.settings.root is None:
            root = Path(tempfile.mkdtemp(prefix="p4warden-sandbox-"))
            self._undo.callback(shutil.rmtree, root)
        else:
            root = self.settings.root.absolute()
            self._use(root)
        temp_folder = root / _TEMP
        temp_folder.mkdir(_PRIVATE_FOLDER)
        self._undo.callback(shutil.rmtree, temp_folder, ignore_errors=True)
        return root

    def _use(self, root: Path) -> None:
        """Take a folder somebody chose: a new one, or an empty one made private."""
        try:
            root.mkdir(_PRIVATE_FOLDER, exist_ok=True)
            root.chmod(_PRIVATE_FOLDER)
            if any(root.iterdir()):
                raise P4WardenError(f"{root}: not empty; name a new folder for the sandbox")
        except OSError as error:
            raise P4WardenError(
                f"{root}: {error.strerror}; name a new folder for the sandbox"
            ) from None
        for name in (_TICKETS, _PASSWORDS):
            self._undo.callback((root / name).unlink, missing_ok=True)

    def _fill(self) -> None:
        """Put together what all connections share."""
        settings = self.settings
        store = Store(settings)
        seed.fill(store, settings)
        self._children = Children(self.root)
        accounts = Accounts()
        version = settings.server_version
        self._server = Server(
            settings,
            ServerFacts(self.port, str(self.root), settings.server_id, version),
            store,
            DepotTree(settings.files, case_sensitive=settings.case_sensitive),
            accounts,
            Triggers(store, self._children, self.root / _TEMP),
            time.monotonic(),
        )
        self._make_passwords(store, accounts)

    def _make_passwords(self, store: Store, accounts: Accounts) -> None:
        users = [
            self.super_user,
            *(user.name for user in self.settings.users if user.has_password),
        ]
        passwords = {user: secrets.token_urlsafe(12) for user in users}
        for user, password in passwords.items():
            accounts.set_password(store.fold(user), password)
        lines = "".join(f"{user}:{password}\n" for user, password in passwords.items())
        _write_private(self.passwords_file, lines)
        ticket = accounts.new_ticket(store.fold(self.super_user))
        _write_private(self.tickets_file, f"{self.port}={self.super_user}:{ticket}\n")

    def _accept(self) -> None:
        """Give every client that connects a thread of its own."""
        while True:
            try:
                connection, (peer_ip, _) = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(connection, peer_ip))
            with self._lock:
                if self._stopping:
                    connection.close()
                    return
                self._connections.add(connection)
                self._threads.add(thread)
            thread.start()

    def _serve(self, connection: socket.socket, peer_ip: str) -> None:
        wire = Wire(connection)
        try:
            Session(self._server, wire, peer_ip).run()
        finally:
            with self._lock:
                self._connections.discard(connection)
                self._threads.discard(threading.current_thread())
            wire.close()


def _shut(connection: socket.socket) -> None:
    """Wake whoever waits for this socket."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
