from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from P4 import P4

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from support.servers import Server
    from support.triggers import Install, Script


class WaitingCommands:
    """A p4 command of some clients, each of which waits in its trigger until the `end`.

    `errors` are those of each user's command that has ended.
    """

    def __init__(self, folder: Path, install: Install, script: Script) -> None:
        self._go, self._started = folder / "go", folder / "started"
        self._started.mkdir()
        self._install, self._script = install, script
        self._threads: list[Thread] = []
        self.errors: dict[str, list[str]] = {}

    def begin(self, server: Server, event: str, clients: Sequence[P4], *command: str) -> None:
        """Send the command by one client after another, each when the trigger of the last runs."""
        mark = f"touch {self._started}/$$"
        wait = self._script(f"{mark}; until [ -e {self._go} ]; do sleep 0.02; done")
        self._install(server, f'wait {event} "{wait}"')
        self._threads = [Thread(target=self._run, args=(p4, command)) for p4 in clients]
        for number, thread in enumerate(self._threads, 1):
            thread.start()
            while len([*self._started.iterdir()]) < number:
                thread.join(0.02)

    def end(self) -> None:
        self._go.touch()
        for thread in self._threads:
            thread.join()

    def _run(self, p4: P4, command: Sequence[str]) -> None:
        with p4.at_exception_level(P4.RAISE_NONE):
            p4.run(*command)
        self.errors[p4.user] = [str(error) for error in p4.errors]


@pytest.fixture
def waiting(install: Install, script: Script, tmp_path: Path) -> Iterator[WaitingCommands]:
    """Fixture: commands that wait until the test ends them, or at its end."""
    commands = WaitingCommands(tmp_path, install, script)
    yield commands
    commands.end()
