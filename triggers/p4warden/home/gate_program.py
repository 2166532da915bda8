"""The gate: the static program that p4d starts for a trigger; where it is, and what it is given.

It is installed beside this Python, from the same wheel. Where it was not built (no cargo), form
triggers start the worker themselves and command rules cannot be judged.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden import facts, home, locks
from p4warden.errors import P4WardenError
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "p4warden-gate"
POLICY_FILE = "gate.policy"
"""Once released, a new format gets a new name: an upgrade writes it while the old one runs."""
STATE_FILE = "state"
LOCK = "publish.lock"
_TURN_S = 30.0
LAUNCHER = Path(__file__).resolve().with_name("launch_worker.py")


class GateError(P4WardenError):
    """The gate is not installed, or it refuses what it was given; the text says why."""


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


def counts(folder: str) -> dict[str, Any] | None:
    """Return what the gate has counted in a home folder, and what the log is `owed`.

    The shape is `{"allowed": N, "observed": N, ..., "owed": [{"event", "verdict", "rule", "user",
    "count"}]}`; None without a gate, or where it has counted nothing yet.

    Raises:
        GateError: the gate cannot read them; it must run as p4d's account.
    """
    gate = find()
    if gate is None or not home.has(folder, STATE_FILE):
        return None
    found: dict[str, Any] = json.loads(_output([gate, "counts", "--home", folder]))
    return found


def publish(folder: str, name: str, content: bytes) -> None:
    """Replace the policy or the facts of a home folder, and what the gate makes of both.

    The gate compiles first, so that one it refuses changes nothing. Without a gate, or without a
    policy yet, there is nothing for it; without facts names are told apart by case.

    Args:
        folder: the home folder.
        name: `policy.json` or `facts.json`.
        content: the file's new content.

    Raises:
        P4WardenError: the gate refuses the policy, or a file cannot be written.
    """
    # Or what is made of an older policy could take the place of what was made of a newer one.
    with locks.held(folder, LOCK, _TURN_S):
        flat = _flat(folder, {name: content})
        home.replace(folder, name, content)
        if flat is not None:
            home.replace(folder, POLICY_FILE, flat)


def publish_again(folder: str) -> None:
    """Make anew what this version's gate reads of the policy and the facts that are there.

    Nothing else is written, so that another version that runs by them goes on.

    Raises:
        P4WardenError: the gate refuses them, or the file cannot be written.
    """
    with locks.held(folder, LOCK, _TURN_S):
        flat = _flat(folder, {})
        if flat is not None:
            home.replace(folder, POLICY_FILE, flat)


def _flat(folder: str, contents: Mapping[str, bytes]) -> bytes | None:
    """Return what the gate reads fastest, None where there is nothing for it."""
    gate = find()
    if gate is None:
        return None
    with tempfile.TemporaryDirectory(prefix="p4warden-") as scratch:
        files = {known: Path(folder, known) for known in (compiled.FILE_NAME, facts.FILE_NAME)}
        there = {known: str(path) for known, path in files.items() if path.exists()}
        for name, content in contents.items():
            fresh = Path(scratch, name)
            fresh.write_bytes(content)
            there[name] = str(fresh)
        if compiled.FILE_NAME not in there:
            return None
        known = ["--facts", there[facts.FILE_NAME]] if facts.FILE_NAME in there else []
        return _compile(gate, ["--policy", there[compiled.FILE_NAME], *known])


def _compile(gate: str, options: list[str]) -> bytes:
    return _output([gate, "compile", "--worker", _launcher(gate), *options])


def _output(command: list[str]) -> bytes:
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise GateError(f"{command[0]}: cannot be started: {error.strerror}") from error
    if done.returncode:
        raise GateError(done.stderr.decode("utf-8", "replace").strip() or f"{command[0]}: failed")
    return done.stdout


def _launcher(gate: str) -> str:
    """Return the launcher's path from the gate's folder.

    deploy/install.sh links the package to a path that is the same in every version, so that what
    is compiled for one serves the next, whatever its Python.
    """
    folder = Path(gate).resolve().parent
    linked = folder.parent / "lib" / "p4warden" / LAUNCHER.name
    return os.path.relpath(linked if linked.exists() else LAUNCHER, folder)
