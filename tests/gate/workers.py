"""Test support: install a script as form worker, and save a form through the gate."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import PROGRAM, GateReply, Home, policy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def beside(tmp_path: Path) -> Home:
    """Fixture: a home folder with a copy of the gate, which uses the Python beside that copy."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(PROGRAM, folder / "p4warden-gate")
    (folder / "python3").symlink_to(sys.executable)
    return Home(tmp_path / "home", folder / "p4warden-gate")


def put(home: Home, worker: str, *, on_error: str = "allow") -> None:
    """Install a Python script as the worker that the gate of a home folder starts."""
    launcher = home.folder / "worker.py"
    launcher.write_text(f"import os, signal, sys, time\n{worker}\n")
    home.activate(policy(on_error=on_error), str(launcher))


def save(home: Home, *words: str, **more: Any) -> GateReply:
    """Run the gate as p4d does for a client that is saved; return its reply."""
    return home.run("form-save", "--on-error=allow", *words, "--type=client", "--user=ann", **more)
