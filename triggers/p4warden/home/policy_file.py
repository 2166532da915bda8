from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import LAUNCHER, find, output
from p4warden.home import trusted_files
from p4warden.policy import compiled

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy


def replace(home: str, policy: Policy) -> None:
    """Write the policy for the triggers, and create the home folder if it is missing.

    The gate reads it first, so that a policy it refuses changes nothing.

    Raises:
        P4WardenError: the home folder cannot be used, or the gate refuses the policy.
    """
    content = refuse_unreadable(policy)
    trusted_files.make(home)
    trusted_files.replace(home, compiled.FILE_NAME, content)


def refuse_unreadable(policy: Policy) -> bytes:
    """Return the content of the policy's file; raise `GateError` if the gate refuses it."""
    gate = find()
    content = compiled.dumps(policy, _launcher(gate)).encode()
    output([gate, "check"], content)
    return content


def _launcher(gate: str) -> str:
    """Return the path of the worker's start script, relative to the gate's folder.

    deploy/install.sh links the package to a path that is the same in every version, so that a file
    written by one version also serves the next, whatever its Python.
    """
    programs = Path(gate).resolve().parent
    linked_launcher = programs.parent / "lib" / "p4warden" / "worker" / LAUNCHER.name
    return os.path.relpath(linked_launcher if linked_launcher.exists() else LAUNCHER, programs)
