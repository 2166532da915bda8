"""p4warden's one file for the Python and programs of these tests, built once for all of them."""

from __future__ import annotations

import fcntl
import os
import platform
import sys
from pathlib import Path

import pytest
from one_file.build import build


@pytest.fixture(scope="session")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fixture: the path of the file; the workers of a run share it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    target = folder / "p4warden.pyz"
    with (folder / "one-file.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _build(target)
    return target


def _build(target: Path) -> None:
    programs = {platform.machine(): Path(sys.executable).parent}
    build(target, programs, [f"3.{sys.version_info.minor}"])
