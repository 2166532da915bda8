"""A sandbox server that a test starts with chosen variants, with its clients and triggers."""

from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, Settings
from support.servers import ClientFactory
from support.triggers import Install, Script


class VariantServers:
    """Holder of the sandbox servers that a test starts with chosen variants.

    It connects clients to the server started last and installs triggers there.
    """

    def __init__(
        self, connect: ClientFactory, install: Install, script: Script, folder: Path
    ) -> None:
        self.folder = folder
        self.script = script
        self._connect = connect
        self._install = install
        self._sandboxes: list[Sandbox] = []

    def start(self, **variants: str) -> None:
        """Start a sandbox with variants, such as `start(odd_names="refused")`.

        An underscore in a keyword stands for the hyphen in the variant's name.
        """
        choice = {name.replace("_", "-"): value for name, value in variants.items()}
        self._sandboxes.append(Sandbox(Settings(variants=choice)).start())

    def stop(self) -> None:
        for sandbox in self._sandboxes:
            sandbox.stop()

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox server that this test started last."""
        return self._sandboxes[-1]

    def client(self, user: str = "ann", client: str = "ws", **settings: str) -> P4:
        return self._connect(self.sandbox, user, client, **settings)

    def admin(self) -> P4:
        return self.client(self.sandbox.super_user)

    def table(self, *rows: str, anew: bool = True) -> None:
        self._install(self.sandbox, *rows, anew=anew)

    def teller(self) -> str:
        """Return the path of a new trigger script that appends its arguments to a file.

        Each argument is followed by `|`.
        """
        return self.script(f'printf "%s|" "$@" >>{self.folder}/arguments')

    def arguments(self) -> str:
        return (self.folder / "arguments").read_text("utf-8")


def errors(p4: P4, *command: str) -> str:
    with pytest.raises(P4Exception) as error:
        p4.run(*command)
    return "\n".join(error.value.errors)
