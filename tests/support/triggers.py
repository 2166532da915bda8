"""Write trigger programs for tests, and the triggers table that starts them."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from P4 import P4

from support.servers import Connect, Server

Script = Callable[[str], str]
Install = Callable[..., None]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write a shell script: `script("exit 1")` returns the path of an executable file."""
    numbers = count(1)

    def write(text: str) -> str:
        path = tmp_path / f"trigger-{next(numbers)}"
        path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        path.chmod(0o700)
        return str(path)

    return write


@pytest.fixture
def install(connect: Connect) -> Install:
    """Write rows as the triggers table: `install(server, 'chk form-save client "chk %user%"')`.

    With `keep` the rows are added to the present table. The test's clients reconnect, to see the
    new table.
    """

    def save(server: Server, *rows: str, keep: bool = False, anew: bool = True) -> None:
        admin = connect(server, server.super_user)
        before = admin.fetch_triggers().get("Triggers", []) if keep else []
        assert admin.save_triggers({"Triggers": [*before, *rows]}) == ["Triggers saved."]
        admin.disconnect()
        if anew:
            connect.anew()

    return save


def table(p4: P4) -> str:
    """Return the form of the server's triggers table, byte for byte."""
    return "".join(p4.run("triggers", "-o", tagged=False))


def write(p4: P4, form: str) -> None:
    """Save a form as the server's triggers table with `p4 triggers -i`."""
    p4.input = form
    p4.run("triggers", "-i")
