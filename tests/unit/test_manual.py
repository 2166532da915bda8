"""Tests of p4warden's man pages, generated from the help texts, and of shell completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden import __version__, cli

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "man" / "man1"
    assert cli.run(["manual", str(folder)]) == 0
    return folder


def test_each_command_has_a_man_page(folder: Path) -> None:
    names = {file.name for file in folder.iterdir()}
    assert {f"p4warden-{name}.1" for name in cli.SUBCOMMANDS} <= names
    assert {"p4warden.1", "p4warden-deploy-rollback.1"} <= names
    text = (folder / "p4warden-deploy-rollback.1").read_text()
    assert text.startswith('.TH "P4WARDEN\\-DEPLOY\\-ROLLBACK" 1 ')
    assert f"p4warden {__version__}" in text
    assert ".TP\n.B \\-\\-to N\n" in text
    assert ".SH SEE ALSO\n.BR p4warden\\-deploy (1)" in text


def test_each_option_has_a_help_text(folder: Path) -> None:
    for file in folder.iterdir():
        for entry in file.read_text().split(".TP\n")[1:]:
            option, text = entry.splitlines()[:2]
            is_option = option.startswith(".B \\-")
            assert re.match(r"\w", text) or not is_option, f"{file.name}: {option}"


def test_no_line_of_a_help_text_becomes_a_roff_request(folder: Path) -> None:
    present = (".TH ", ".SH ", ".TP", ".B ", ".BR ", ".PP")
    for file in folder.iterdir():
        for line in file.read_text().splitlines():
            assert not line.startswith("'")
            assert not line.startswith(".") or line.startswith(present), f"{file.name}: {line}"


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff: man pages are not set")
def test_groff_prints_no_warnings_for_the_man_pages(folder: Path) -> None:
    command = ["groff", "-man", "-ww", "-z", "-K", "utf8", *map(str, sorted(folder.iterdir()))]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


def completed(*words: str) -> list[str]:
    """Return bash's completions for the last word of a p4warden command line."""
    settings = {
        "_P4WARDEN_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["p4warden", *words]),
        "COMP_CWORD": str(len(words)),
    }
    process = subprocess.run(
        [sys.executable, "-m", "p4warden"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(",")[2] for line in process.stdout.splitlines()]


def test_a_shell_completes_commands_and_options() -> None:
    assert completed("hist") == ["history"]
    assert {"plan", "apply", "rollback"} <= set(completed("deploy", ""))
    assert "--reason" in completed("off", "--")
