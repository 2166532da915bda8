"""p4warden installed on a running server, as an administrator does it: by its command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from support.servers import Server


class Ran(NamedTuple):
    """What a command did; `output` is both streams in order."""

    code: int
    output: str


class Warden:
    """A home folder and the command line, set to one server's super user."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.home = folder / "home"
        self._policy = folder / "policy.yaml"
        self._environment = {k: v for k, v in os.environ.items() if k != "P4CHARSET"} | {
            "P4PORT": server.port,
            "P4USER": server.super_user,
            "P4TICKETS": str(server.tickets_file),
        }

    def run(self, *arguments: str, home: bool = True) -> Ran:
        """Run the p4warden command."""
        where = ["--home", str(self.home)] if home else []
        done = subprocess.run(
            [sys.executable, "-m", "p4warden", *arguments, *where],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout)

    def must(self, *arguments: str, home: bool = True, code: int = 0) -> str:
        """Run a command that ends with that code; return what it printed."""
        ran = self.run(*arguments, home=home)
        assert ran.code == code, ran.output
        return ran.output

    def activate(self, policy: str) -> None:
        """Make a policy, YAML text, the running one."""
        self._policy.write_text(policy)
        self.must("activate", str(self._policy))

    def install(self, policy: str) -> None:
        """Activate, refresh and deploy."""
        self.activate(policy)
        self.must("refresh")
        self.must("deploy", "plan", code=1)
        self.must("deploy", "apply")

    def log(self) -> list[dict[str, Any]]:
        """Return the decision log."""
        file = self.home / "decisions.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()]
