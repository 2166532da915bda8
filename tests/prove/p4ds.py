"""Programs that tests give to `p4warden prove --p4d`: the sandbox, a real p4d, hostile scripts.

Also the folder in which commands with such a program work.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from support.servers import P4D

MakeProgram = Callable[[str], str]


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fixture: an empty folder in which a command creates its temporary folders."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def program(tmp_path: Path) -> MakeProgram:
    """Fixture: `program("exit 1")` writes a shell script in place of p4d and returns its path."""

    def write(text: str) -> str:
        path = tmp_path / "bin" / "p4d"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        path.chmod(0o700)
        return str(path)

    return write


def sandbox(release: str, *variants: str, defects: str = "") -> str:
    """Return shell lines that start the sandbox server as a p4d of a release with variants."""
    settings = {
        "P4WARDEN_SANDBOX_LIKE": release,
        "P4WARDEN_SANDBOX_VARIANTS": " ".join(variants),
        "P4WARDEN_SANDBOX_DEFECTS": defects,
    }
    lines = [f"export {name}='{value}'" for name, value in settings.items()]
    return "\n".join([*lines, f'exec {sys.executable} -m p4warden_sandbox.p4d "$@"'])


def named_by_p4d() -> str:
    """Return a shell line that runs `$P4D` or `p4d` on PATH; skip the test if neither exists."""
    if P4D is None:
        pytest.skip("this is for a real server: P4D=FILE make test-p4d")
    return f'exec {shutil.which(P4D)} "$@"'
