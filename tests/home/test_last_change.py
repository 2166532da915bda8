"""Tests of the time of the last change of a program, where this account may not look."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from p4warden.home.program_file import last_change
from support.broken_gates import public_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["public_folder"]
NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_of_a_program_in_a_closed_folder_that_folder_is_named(public_folder: Path) -> None:
    closed = public_folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / "gate").touch()
    os.seteuid(NOBODY)
    try:
        assert last_change(f"{closed}/gate") == (str(closed), closed.stat().st_ctime)
    finally:
        os.seteuid(0)
