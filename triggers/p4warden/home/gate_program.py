"""The gate: the static program that p4d starts for a trigger; its path, and its arguments.

It is installed beside this Python, from the same wheel. Where it was not built (no cargo), form
triggers start the worker themselves and command rules cannot be judged.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files

NAME = "p4warden-gate"
STATE_FILE = "state"
LAUNCHER = Path(__file__).resolve().parent.parent / "worker" / "launch.py"


class GateError(P4WardenError):
    """The gate is not installed, or it refuses its input; the text says why."""


def find() -> str | None:
    """Return the gate's path, None where it is not installed.

    In a version that deploy/install.sh has made the running one it is the path that leads to
    each that will be: trigger lines outlive upgrades.
    """
    path = _programs() / NAME
    return str(path) if path.is_file() else None


def form_program() -> tuple[str, ...]:
    """Return the words that start a form trigger: the gate, or the worker itself without one."""
    gate = find()
    return (gate,) if gate else (sys.executable, "-I", "-S", str(LAUNCHER))


def _programs() -> Path:
    """Return this Python's folder; PREFIX/current/bin where that is PREFIX/versions/NAME/bin."""
    own = Path(sys.executable).parent
    version = own.parent
    current = version.parent.parent / "current" / own.name
    leads_here = version.parent.name == "versions" and current.is_dir() and current.samefile(own)
    return current if leads_here else own


def counts(home: str) -> dict[str, Any] | None:
    """Return what the gate has counted in a home folder, and what the log is `owed`.

    The shape is `{"allowed": N, "observed": N, ..., "owed": [{"event", "verdict", "rule", "user",
    "count"}]}`; None without a gate, or where it has counted nothing yet.

    Raises:
        GateError: the gate cannot read them; it must run as p4d's account.
    """
    gate = find()
    if gate is None or not trusted_files.has(home, STATE_FILE):
        return None
    found: dict[str, Any] = json.loads(output([gate, "counts", "--home", home]))
    return found


def output(command: list[str]) -> bytes:
    """Run the gate; return its standard output.

    Raises:
        GateError: it cannot be started, or it ends with an error; the text says why.
    """
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise GateError(f"{command[0]}: cannot be started: {error.strerror}") from error
    if done.returncode:
        raise GateError(done.stderr.decode("utf-8", "replace").strip() or f"{command[0]}: failed")
    return done.stdout
