"""An empty client workspace, in which tests write, open and submit files."""

from pathlib import Path
from typing import Any

import pytest
from P4 import P4, P4Exception

from support.servers import ClientFactory, Server

VIEW = ("//depot/work/... //ws/work/...",)


class ClientWorkspace:
    """A client workspace with its root folder; `p4` is the connection of its owner."""

    def __init__(self, p4: P4, root: Path) -> None:
        self.p4 = p4
        self.root = root
        root.mkdir()
        view = [line.replace("//ws/", f"//{p4.client}/") for line in VIEW]
        p4.save_client({"Client": p4.client, "Root": str(root), "View": view})

    def write(self, name: str, text: str = "text\n") -> str:
        """Write a workspace file such as `work/a.c`, relative to the root; return its path."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return str(path)

    def add(self, *names: str, change: str = "default") -> None:
        """Write files in the client workspace and open them with `p4 add`."""
        self.p4.run("add", "-c", change, *[self.write(name) for name in names])

    def submit(self, *names: str) -> str:
        """Write, add and submit files in the client workspace; return the changelist's number."""
        self.add(*names)
        result: list[dict[str, Any]] = self.p4.run("submit", "-d", "a change")
        return str(result[-1]["submittedChange"])


@pytest.fixture
def disk(server: Server, connect: ClientFactory, tmp_path: Path) -> ClientWorkspace:
    """Fixture: an empty client workspace of user ann, on each kind of test server."""
    return ClientWorkspace(connect(server), tmp_path / "ws")


def submit_fails(disk: ClientWorkspace, *arguments: str) -> str:
    """Run `p4 submit`, which must fail, and return its error message."""
    with pytest.raises(P4Exception) as error:
        disk.p4.run("submit", *arguments)
    return error.value.errors[0]
