"""Commands that p4warden proposes, run as a person would paste them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

from p4warden.health.steps import commands

if TYPE_CHECKING:
    from typing import Any

    from support.warden import Warden

_PLAIN = re.compile(r"p4warden( [\w./:@=,+-]+)+")
_CONSENT = ("deploy uninstall", "deploy rollback")


def advice(output: str) -> list[str]:
    """Return the commands in a message: the lines that begin with two blanks."""
    return [line.strip() for line in output.splitlines() if line.startswith("  ")]


def checks(warden: Warden, code: int, *options: str) -> dict[str, dict[str, Any]]:
    """Return the checks of `p4warden doctor` by their names."""
    found = json.loads(warden.must("doctor", "--json", *options, code=code))
    return {check["name"]: check for check in found}


def remedies(warden: Warden, code: int, *options: str) -> dict[str, list[str]]:
    """Return the commands that `p4warden doctor` proposes, by the name of the check."""
    found = checks(warden, code, *options)
    return {name: commands(check["remedy"] or "") for name, check in found.items()}


def paste(warden: Warden, command: str) -> str:
    """Run a proposed command, and consent to what it asks; return its output.

    In words that no shell changes it runs in this process, all else in a shell.
    """
    for words in _CONSENT:
        command = command.replace(words, f"{words} --yes")
    if _PLAIN.fullmatch(command):
        return warden.must(*command.split()[1:], home=False)
    environment = {**os.environ, **warden.settings}
    process = subprocess.run(
        ["/bin/sh", "-ec", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env=environment,
        text=True,
    )
    assert process.returncode == 0, (command, process.stdout)
    return process.stdout
