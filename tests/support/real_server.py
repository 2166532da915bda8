"""A real p4d on a free port, with the sandbox's initial content as far as its license allows.

It works both on servers that demand a password from their first connection on (2026.1) and on
older ones: the super user sets a password, creates every user, and gets a ticket for each except
carol, who has no ticket in the sandbox either.
"""

import contextlib
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from P4 import P4, P4Exception

from p4warden_sandbox import Settings

if TYPE_CHECKING:
    from typing_extensions import Self

_START_S = 30
_PAUSE_S = 0.02
# Range of port numbers for real p4d processes in tests, below those that Linux assigns itself
# (net.ipv4.ip_local_port_range).
_PORTS = range(16_384, 32_768)
_SEED = Settings()
_USERS = [user.name for user in _SEED.users]
_WITHOUT_TICKET = {user.name for user in _SEED.users if user.has_password}


class RealServer:
    """Context manager: a real p4d process for one test, with its own root folder."""

    super_user = _SEED.super_user

    def __init__(self, program: str, folder: Path, settings: Settings = _SEED) -> None:
        self._program = program
        self._settings = settings
        self._folder = folder
        self._passwords = {user: _password() for user in (self.super_user, *_USERS)}
        self.tickets_file = folder / "tickets-of-p4d"

    def password_of(self, user: str) -> str:
        """Return a user's password on the real p4d; empty for a user without one."""
        return self._passwords.get(user, "")

    def __enter__(self) -> "Self":
        """Start a real p4d on a free port and create its initial content."""
        self._root = self._folder / "p4d"
        self._root.mkdir(mode=0o700)
        self._claim, port = _claimed_port()
        self.port = f"127.0.0.1:{port}"
        command = [self._program, "-r", str(self._root), "-p", self.port, "-L", "log", "-J", "off"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.pid = self._process.pid
        try:
            self._wait()
            self._seed()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the real p4d and remove its server root."""
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._claim.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def _wait(self) -> None:
        """Wait until p4d accepts connections; raise RuntimeError if it ends or never listens."""
        for _ in range(int(_START_S / _PAUSE_S)):
            if _answers(self.port):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._process.wait(_PAUSE_S)
                raise RuntimeError(f"{self._program} ended with {code}")
        raise RuntimeError(f"{self._program} does not listen on {self.port}")

    def _seed(self) -> None:
        admin = P4(port=self.port, user=self.super_user, ticket_file=str(self.tickets_file))
        with admin.connect() as p4:
            self._become_super_user(p4)
            if self._settings.behaves("server-id", "set"):
                p4.run("serverid", self._settings.settled().server_id)
            for user in _USERS:
                self._make_user(p4, user)
            _make_depots(p4)
            for group in _SEED.groups:
                p4.save_group({**p4.fetch_group(group.name), "Users": list(group.users)})
            _submit_files(p4)

    def _become_super_user(self, p4: P4) -> None:
        """Create the super user, set its password, log in, and save the protections if asked for.

        A new 2026.1 server allows no other action before the first password.
        """
        with contextlib.suppress(P4Exception):
            # Releases before 2026.1 set passwords only for users that already exist.
            p4.save_user(p4.fetch_user(self.super_user), "-f")
        password = self._passwords[self.super_user]
        p4.input = [password, password]
        p4.run("password")
        p4.password = password
        p4.run_login()
        if self._settings.behaves("protections", "filled"):
            p4.save_protect(p4.fetch_protect())

    def _make_user(self, p4: P4, user: str) -> None:
        """Create a user with a password that need not be changed, and get a ticket for the user.

        Users that have no ticket in the sandbox get none here either.
        """
        form = p4.fetch_user(user)
        p4.save_user(form, "-f")
        p4.input = [self._passwords[user]] * 2
        p4.run("passwd", user)
        p4.save_user(form, "-f")
        if user not in _WITHOUT_TICKET:
            p4.run("login", user)


def _make_depots(p4: P4) -> None:
    depot_names = {row["name"] for row in p4.run("depots")}
    for depot in _SEED.depots:
        if depot.name not in depot_names:
            p4.save_depot(p4.fetch_depot("-t", depot.type, depot.name))
    for stream in _SEED.streams:
        fields = {"Type": stream.type, "Parent": stream.parent}
        p4.save_stream({**p4.fetch_stream(stream.path), **fields})


def _submit_files(p4: P4) -> None:
    """Submit to the real p4d, as empty files, the files that a new sandbox server has.

    Files of a stream are submitted by a client of that stream, because p4d accepts no other.
    """
    streams = [stream.path for stream in _SEED.streams]
    depot_files = [file for file in _SEED.files if not file.startswith(tuple(streams))]
    submit_files(p4, depot_files)
    for stream in streams:
        submit_files(p4, [file for file in _SEED.files if file.startswith(stream)], "-S", stream)


def _password() -> str:
    """Return a random password that p4d accepts as strong."""
    return f"Aa1!{secrets.token_urlsafe(9)}"


def _claimed_port() -> tuple[socket.socket, int]:
    """Return a bound UDP socket and the free TCP port with the same number, for a new p4d.

    The caller closes the socket after use. It keeps other tests from choosing the same port before
    p4d listens on it, because only one process can bind the number.
    """
    while True:
        port = secrets.choice(_PORTS)
        claim = socket.socket(type=socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            claim.bind(("127.0.0.1", port))
            socket.create_server(("127.0.0.1", port)).close()
            return claim, port
        claim.close()


def _answers(port: str) -> bool:
    host, _, number = port.partition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(number))):
        return True
    return False


def submit_files(p4: P4, files: Iterable[str], *options: str) -> None:
    """Submit empty files, given as depot paths, through a temporary client workspace.

    `options` are arguments of `p4 client` for the new workspace, such as `-S STREAM`.
    """
    p4.client = "seed"
    with tempfile.TemporaryDirectory() as root:
        form = p4.fetch_client(*options)
        p4.save_client({**form, "Root": root, "Host": ""})
        paths = [Path(row["path"]) for row in p4.run("where", *files)]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        p4.run("add", *map(str, paths))
        p4.run("submit", "-d", "The files that were there from the start.")
        p4.run("client", "-d", "seed")
