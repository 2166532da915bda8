from __future__ import annotations

import secrets
import socket
import threading
import time
from typing import TYPE_CHECKING

from p4warden_sandbox import seed
from p4warden_sandbox.accounts import Accounts
from p4warden_sandbox.call import Server
from p4warden_sandbox.connections import Connections, wake
from p4warden_sandbox.depot_files import DepotFiles
from p4warden_sandbox.have_list import HaveList
from p4warden_sandbox.open_files import OpenFiles
from p4warden_sandbox.processes import TriggerProcesses
from p4warden_sandbox.running_commands import RunningCommands
from p4warden_sandbox.server_folder import ServerFolder
from p4warden_sandbox.settings import Pressure, Settings
from p4warden_sandbox.store import Store
from p4warden_sandbox.trigger_run import TriggerHost
from p4warden_sandbox.trigger_variables import ServerFacts

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

_LOCAL = "127.0.0.1"
_PASSWORD_BYTES = 12


class Sandbox:
    """A temporary sandbox server, to be started and stopped, or used in a `with` statement.

    `port` is the address for clients, as in P4PORT, available once the server is started.
    Everything is in memory except its log, if any, and the files in `root`.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = (settings or Settings()).settled()
        self._connections = Connections()

    def start(self) -> Self:
        """Serve clients in other threads; raise P4WardenError if the folder cannot be used."""
        self._folder = ServerFolder(self.settings.root)
        self._listener = socket.create_server((_LOCAL, 0))
        self.port = f"{_LOCAL}:{self._listener.getsockname()[1]}"
        self._children = TriggerProcesses(self.root, self.settings)
        self._server = self._make_server()
        self._acceptor = threading.Thread(
            target=self._connections.accept,
            args=(self._listener, self._server),
            name=f"sandbox {self.port}",
        )
        self._acceptor.start()
        return self

    def stop(self) -> None:
        wake(self._listener)
        self._connections.stop()
        self._children.stop()
        self._acceptor.join()
        self._connections.join()
        self._listener.close()
        self._folder.clear()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def root(self) -> Path:
        return self._folder.root

    @property
    def super_user(self) -> str:
        """Empty if there is none."""
        return self.settings.super_user

    @property
    def tickets_file(self) -> Path:
        """File for P4TICKETS, with tickets of users who need not type a password."""
        return self._folder.tickets_file

    @property
    def passwords_file(self) -> Path:
        """Each line is `user:password`."""
        return self._folder.passwords_file

    def password_of(self, user: str) -> str:
        """Return the random password set at the start; empty if none was."""
        return self._passwords.get(user, "")

    def set_pressure(self, pressure: Pressure) -> None:
        self._server.store.pressure = pressure

    def _make_server(self) -> Server:
        settings = self.settings
        facts = ServerFacts(self.port, str(self.root), settings.server_version)
        store = Store(settings)
        return new_server(
            settings, facts, store, self._make_accounts(store), self._children, self._folder.temp
        )

    def _make_accounts(self, store: Store) -> Accounts:
        is_secured = store.configurables["security"] > 0
        users = [user.name for user in self.settings.users if is_secured or user.has_password]
        names = filter(None, (self.super_user, *users))
        self._passwords = {name: secrets.token_urlsafe(_PASSWORD_BYTES) for name in names}
        accounts = Accounts()
        for user, password in self._passwords.items():
            accounts.set_password(store.fold(user), password)
        lines = [f"{user}:{password}\n" for user, password in self._passwords.items()]
        self._folder.write(self.passwords_file, "".join(lines))
        shut_out = {user.name for user in self.settings.users if user.has_password}
        # Clients look up tickets by the folded user name: in lower case if the server folds case.
        folded = [store.fold(user) for user in self._passwords if user not in shut_out]
        tickets = [f"{self.port}={name}:{accounts.new_ticket(name)}\n" for name in folded]
        self._folder.write(self.tickets_file, "".join(tickets))
        return accounts


def new_server(
    settings: Settings,
    facts: ServerFacts,
    store: Store,
    accounts: Accounts,
    children: TriggerProcesses,
    temp: Path,
) -> Server:
    """Return the filled state of a new sandbox; `temp` is for temporary files of triggers."""
    files = DepotFiles(store.fold, case_sensitive=settings.case_sensitive)
    seed.fill(store, files, settings)
    return Server(
        settings,
        facts,
        store,
        files,
        OpenFiles(store.fold),
        HaveList(store.fold),
        RunningCommands(),
        accounts,
        TriggerHost(settings, store, files, children, temp),
        time.monotonic(),
    )
