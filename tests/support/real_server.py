"""A real p4d on a free port, seeded as a sandbox is: depots, streams, users, groups; no files."""

import contextlib
import secrets
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from P4 import P4

if TYPE_CHECKING:
    from typing_extensions import Self

_START_S = 30
_PAUSE_S = 0.05
_PROTECTIONS = ["write user * * //...", "super user p4admin * //..."]
_STREAMS = (
    ("//streams/main", "mainline", "none"),
    ("//streams/dev", "development", "//streams/main"),
)


class RealServer:
    """A p4d of its own for one test, in a folder of its own."""

    super_user = "p4admin"

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._passwords = {"carol": secrets.token_urlsafe(12)}
        self.tickets_file = folder / "tickets"

    def password_of(self, user: str) -> str:
        """Return a user's password, empty when there is none."""
        return self._passwords.get(user, "")

    def __enter__(self) -> "Self":
        """Start p4d and seed it."""
        root = self._folder / "p4d"
        root.mkdir(mode=0o700)
        self.port = f"127.0.0.1:{_free_port()}"
        command = [self._program, "-r", str(root), "-p", self.port, "-L", "log", "-J", "off"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
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
        """Stop p4d."""
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _wait(self) -> None:
        """Wait until p4d listens, or fail as soon as it has died."""
        for _ in range(int(_START_S / _PAUSE_S)):
            if _answers(self.port):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._process.wait(_PAUSE_S)
                raise RuntimeError(f"{self._program} ended with {code}")
        raise RuntimeError(f"{self._program} does not listen on {self.port}")

    def _seed(self) -> None:
        with P4(port=self.port, user=self.super_user, client="seed").connect() as p4:
            for user in (self.super_user, "ann", "bob", "build", "carol"):
                p4.save_user(p4.fetch_user(user), "-f")
            p4.save_depot(p4.fetch_depot("thirdparty"))
            p4.save_depot(p4.fetch_depot("-t", "stream", "streams"))
            for path, kind, parent in _STREAMS:
                p4.save_stream({**p4.fetch_stream(path), "Type": kind, "Parent": parent})
            p4.save_group({**p4.fetch_group("build-farm"), "Users": ["build"]})
            p4.save_protect({**p4.fetch_protect(), "Protections": _PROTECTIONS})
            for user, password in self._passwords.items():
                p4.input = [password, password]
                p4.run("passwd", user)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _answers(port: str) -> bool:
    host, _, number = port.partition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(number))):
        return True
    return False
