"""Workers that do what processes can do, and a gate that starts them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from gate.program import PROGRAM, Answer, Home, policy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def beside(tmp_path: Path) -> Home:
    """Return a home whose gate has been copied, so that it takes the Python put beside it."""
    assert PROGRAM
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(PROGRAM, folder / "p4warden-gate")
    (folder / "python3").symlink_to(sys.executable)
    return Home(tmp_path / "home", folder / "p4warden-gate")


def put(home: Home, worker: str, *, on_error: str = "allow", deadline: str = "60s") -> None:
    """Make some lines of Python the worker of a home."""
    launcher = home.folder / "worker.py"
    launcher.write_text(f"import os, signal, sys, time\n{worker}\n")
    home.activate(policy(on_error=on_error), f"--worker={launcher}", f"--deadline={deadline}")


def save(home: Home, *words: str) -> Answer:
    """Start the gate as p4d does for a client that is saved."""
    return home.run("form-save", "--on-error=allow", *words, "--type=client", "--user=ann")
