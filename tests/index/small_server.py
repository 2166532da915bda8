"""Test fixture: the index of a small server, and the path of its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from index.conftest import built
from index.journal_text import END, START, domain, files, line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """Fixture: paths of an index of four clients and 4,000 files, and of an empty journal."""
    text = (
        START
        + domain("all", at_s=(-9, -9))
        + domain("few")
        + domain("lib")
        + domain("some")
        + line("all", 0, "//depot/...")
        + line("few", 0, "//depot/few/...")
        + line("lib", 0, "//depot/lib/...")
        + line("some", 0, "//depot/few/...")
        + line("some", 1, "//depot/lib/f00001")
        + files("//depot/few", 40)
        + files("//depot/lib", 3000)
        + files("//depot/src", 960)
        + END
    )
    checkpoint, journal = tmp_path / "ckp", tmp_path / "journal"
    checkpoint.write_text(text)
    journal.write_text("")
    return built(tmp_path, checkpoint), journal
