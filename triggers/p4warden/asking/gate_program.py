"""The gate is the static program that p4d starts for each trigger, from the same wheel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from p4warden.core.errors import P4WardenError, os_errors_as

NAME = "p4warden-gate"


class GateError(P4WardenError):
    """Error: the gate program cannot be started or fails; the text gives the reason."""


def path() -> str:
    """Return the path of the gate program, whether it is there or not.

    If deploy/install.sh installed this version, and it is the current one, the path contains
    `current` instead of the version, because trigger lines outlive upgrades.
    """
    return str(_programs() / NAME)


def is_installed() -> bool:
    """Tell whether the gate is there; prove's single file runs on hosts without it."""
    return Path(path()).is_file()


def find() -> str:
    """Return the path of the gate program.

    Raises:
        GateError: it is not installed.
    """
    if not is_installed():
        raise GateError(f"{path()} is missing; install p4warden again, from a wheel that has it")
    return path()


def _programs() -> Path:
    own = Path(sys.executable).parent
    version = own.parent
    current = version.parent.parent / "current" / own.name
    return current if version.parent.name == "versions" and _is_same(current, own) else own


def _is_same(one: Path, other: Path) -> bool:
    """False also if an account may not enter a folder, as p4d's, which root acts as."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def answer(*words: str, text: bytes = b"") -> Any:
    """Return the JSON that a gate command prints, as `output` runs it."""
    return json.loads(output(*words, text=text))


def output(*words: str, text: bytes = b"") -> bytes:
    """Run a gate command with a text as standard input, and return its standard output.

    Raises:
        GateError: the gate cannot be started or ends with an error; the text gives the reason.
    """
    gate = find()
    with os_errors_as(GateError, f"{gate}: cannot be started"):
        process = subprocess.run([gate, *words], input=text, capture_output=True, check=False)
    if process.returncode:
        raise GateError(process.stderr.decode("utf-8", "replace").strip() or f"{gate}: failed")
    return process.stdout
