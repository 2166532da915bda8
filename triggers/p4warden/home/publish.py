from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import facts
from p4warden.home import locks, trusted_files
from p4warden.home.gate_program import LAUNCHER, find, output
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

POLICY_FILE = "gate.policy"
"""Name of the home's file with the policy compiled for the gate. A release with another format
needs another name, so that an upgrade can write the file while the old version runs.
"""
LOCK = "publish.lock"
_TURN_S = 30.0


def publish(home: str, name: str, content: bytes) -> None:
    """Replace the policy or the facts of a home folder, and compile both for the gate.

    The gate compiles first, so that a policy it refuses changes nothing. Without a gate or a
    policy nothing is compiled; without facts names are case-sensitive.

    Raises:
        P4WardenError: the gate refuses the policy, or a file cannot be written.
    """
    # Without the lock, a file compiled from an older policy could replace one from a newer policy.
    with locks.file_lock(home, LOCK, _TURN_S):
        gate_policy = _compiled(home, {name: content})
        trusted_files.replace(home, name, content)
        if gate_policy is not None:
            trusted_files.replace(home, POLICY_FILE, gate_policy)


def publish_again(home: str) -> None:
    """Compile a home's present policy and facts again, for the gate of this p4warden version.

    No other file is written, so another p4warden version that uses this home is not affected.
    """
    with locks.file_lock(home, LOCK, _TURN_S):
        gate_policy = _compiled(home, {})
        if gate_policy is not None:
            trusted_files.replace(home, POLICY_FILE, gate_policy)


def _compiled(home: str, contents: Mapping[str, bytes]) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="p4warden-") as scratch:
        files = {name: Path(home, name) for name in (compiled.FILE_NAME, facts.FILE_NAME)}
        paths = {name: str(path) for name, path in files.items() if path.exists()}
        for name, content in contents.items():
            fresh = Path(scratch, name)
            fresh.write_bytes(content)
            paths[name] = str(fresh)
        if compiled.FILE_NAME not in paths:
            return None
        options = ["--policy", paths[compiled.FILE_NAME]]
        if facts.FILE_NAME in paths:
            options += ["--facts", paths[facts.FILE_NAME]]
        return _compile(find(), options)


def _compile(gate: str, options: list[str]) -> bytes:
    return output([gate, "compile", "--worker", _launcher(gate), *options])


def _launcher(gate: str) -> str:
    """Return the path of the worker's start script, relative to the gate's folder.

    deploy/install.sh links the package to a path that is the same in every version, so that a file
    compiled by one version also serves the next, whatever its Python.
    """
    programs = Path(gate).resolve().parent
    linked_launcher = programs.parent / "lib" / "p4warden" / "worker" / LAUNCHER.name
    return os.path.relpath(linked_launcher if linked_launcher.exists() else LAUNCHER, programs)
