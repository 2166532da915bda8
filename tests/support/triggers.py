"""Trigger scripts, the triggers table of a test server, and the words of a trigger line."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from P4 import P4

from p4warden.core.trigger_options import ARGS, options_of, words_of
from support.servers import ClientFactory, Server

Script = Callable[[str], str]
Install = Callable[..., None]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Fixture: `script("exit 1")` writes an executable shell script and returns its path."""
    numbers = count(1)

    def write(text: str) -> str:
        path = tmp_path / f"trigger-{next(numbers)}"
        path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        path.chmod(0o700)
        return str(path)

    return write


@pytest.fixture
def install(connect: ClientFactory) -> Install:
    """Fixture: save trigger lines: `install(server, 'chk form-save client "chk %user%"')`.

    The lines replace the server's triggers table; with `keep` they are added to it. The test's
    clients then reconnect to see the new table, unless `anew` is False.
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
    """Return the form text of a server's triggers table, as `p4 triggers -o` prints it."""
    return "".join(p4.run("triggers", "-o", tagged=False))


def write(p4: P4, form: str) -> None:
    """Save a form text as the server's triggers table with `p4 triggers -i`."""
    p4.input = form
    p4.run("triggers", "-i")


def line_words(event: str, *options: str) -> list[str]:
    """Return an event and all options of its line: the given `--NAME=VALUE`, or no value.

    As in a deployed line, a blank follows the arguments of a command.
    """
    values = dict(option.removeprefix("--").split("=", 1) for option in options)
    if ARGS in values:
        values[ARGS] += " "
    unknown = values.keys() - set(options_of(event))
    assert not unknown, f"not in a line for {event}: {unknown}"
    return words_of(event, {"on-error": "allow", "triggers-io": "0"} | values)


def names(p4: P4) -> list[str]:
    """Return the names of the lines of a server's triggers table, in order."""
    return [line.split()[0] for line in table(p4).splitlines() if line.startswith("\t")]
