"""Tests of the path of the gate program in a folder as deploy/install.sh makes it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.home.account import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534


@pytest.fixture
def prefix(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Fixture: a folder that every account may enter, with this Python's version."""
    with tempfile.TemporaryDirectory() as name:
        prefix = Path(name)
        prefix.chmod(0o755)
        (prefix / "versions" / "1" / "bin").mkdir(parents=True)
        (prefix / "current").symlink_to("versions/1")
        monkeypatch.setattr(sys, "executable", str(prefix / "versions" / "1" / "bin" / "python3"))
        yield prefix


def test_the_gate_of_the_current_version_is_named_by_the_link(prefix: Path) -> None:
    assert gate_program.path() == str(prefix / "current" / "bin" / gate_program.NAME)


def test_the_gate_of_another_version_is_named_by_its_own_folder(prefix: Path) -> None:
    (prefix / "versions" / "2" / "bin").mkdir(parents=True)
    (prefix / "current").unlink()
    (prefix / "current").symlink_to("versions/2")
    assert gate_program.path() == str(prefix / "versions" / "1" / "bin" / gate_program.NAME)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
def test_an_account_that_may_not_enter_the_folder_can_ask_for_the_path(
    prefix: Path, tmp_path: Path
) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    prefix.chmod(0o700)
    with owner_of(str(tmp_path)).acting():
        path = gate_program.path()
    assert path == str(prefix / "versions" / "1" / "bin" / gate_program.NAME)
