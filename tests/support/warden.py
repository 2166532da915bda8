"""Fixture that runs the `p4warden` command on a test server, as an administrator does."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from p4warden import cli
from p4warden.asking import gate_program
from support.servers import ClientFactory, Server


class CommandResult(NamedTuple):
    """Result of a `p4warden` command: its exit code, and stdout and stderr as one text."""

    code: int
    output: str


class Warden:
    """A p4warden home folder and the `p4warden` command, run as a test server's super user.

    The command runs in the test's process, because starting Python four times for each test would
    take most of a test run. Running it as a separate process is covered by the demo.
    """

    def __init__(self, server: Server, folder: Path, connect: ClientFactory | None = None) -> None:
        self._connect = connect
        self.home = folder / "home"
        self._policy = folder / "policy.yaml"
        self.settings = {
            "P4PORT": server.port,
            "P4USER": server.super_user,
            "P4TICKETS": str(server.tickets_file),
        }

    def run(self, *arguments: str, home: bool = True, answer: str | None = None) -> CommandResult:
        """Run `p4warden` with these arguments in this process; return its exit code and output.

        `answer` is its standard input, if it has one.
        """
        where = ["--home", str(self.home)] if home else []
        output = io.StringIO()
        streams = contextlib.redirect_stdout(output), contextlib.redirect_stderr(output)
        with streams[0], streams[1], _environment(self.settings), _standard_input(answer):
            code = cli.run([*arguments, *where])
        return CommandResult(code, output.getvalue())

    def must(
        self, *arguments: str, home: bool = True, code: int = 0, answer: str | None = None
    ) -> str:
        """Run `p4warden`; fail unless it exits with the given code; return its output."""
        result = self.run(*arguments, home=home, answer=answer)
        assert result.code == code, result.output
        return result.output

    def activate(self, policy: str) -> None:
        """Activate a policy, given as YAML text, with `p4warden activate`."""
        self._policy.write_text(policy)
        self.must("activate", str(self._policy))

    def prepare(self, policy: str) -> None:
        """Run the commands that precede a deployment: `p4warden activate` and `refresh`."""
        self.activate(policy)
        self.must("refresh")

    def install(self, policy: str) -> None:
        """Activate a policy, refresh the server's facts, and deploy with `--no-verify`.

        The test's clients then reconnect to see the new triggers table.
        """
        self.prepare(policy)
        self.must("deploy", "plan", code=1)
        self.must("deploy", "apply", "--no-verify")
        if self._connect:
            self._connect.anew()

    def counts(self) -> dict[str, Any]:
        """Return the counters that `p4warden-gate counts` prints for this installation."""
        command = [gate_program.find(), "counts", "--home", str(self.home)]
        counts = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        assert isinstance(counts, dict)
        return counts

    def log(self) -> list[dict[str, Any]]:
        """Return the decision records that p4warden logged in this home folder."""
        file = self.home / "decisions.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()]


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Set environment variables, and unset P4CHARSET, while a `p4warden` command runs."""
    before = dict(os.environ)
    os.environ.update(settings)
    os.environ.pop("P4CHARSET", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _standard_input(text: str | None) -> Iterator[None]:
    before = sys.stdin
    if text is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = before


@pytest.fixture
def warden(server: Server, tmp_path: Path, connect: ClientFactory) -> Warden:
    """Fixture: the `p4warden` command for a server on which p4warden is not installed yet."""
    return Warden(server, tmp_path, connect)


def facts(warden: Warden) -> dict[str, Any]:
    """Return the server's facts that `p4warden refresh` stored, as a document."""
    content: dict[str, Any] = json.loads((warden.home / "facts.json").read_text("ascii"))
    return content
