"""Test support: save a form, or submit a changelist, through the gate."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import PROGRAM, GateReply, Home, policy

if TYPE_CHECKING:
    from pathlib import Path

NARROW = "Client:\tws\n\nView:\n\t//depot/main/... //ws/...\n"
WIDE = "Client:\tws\n\nView:\n\t//depot/... //ws/...\n"
VIEWS = {"name": "no-whole-depot", "rule": "limit_view_scope", "mode": "enforce"}
TOPS = {"name": "tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1}
DEPOTS = {"name": "depots", "rule": "limit_depot_count", "mode": "enforce", "max": 1}
FACTS = {"case_sensitive": True, "depots": {"depot": {"type": "local", "directories": ["main"]}}}
NEW = {
    "files": [["//depot/new/a", "add"]],
    "listed": 1,
    "judged": 1,
    "directories": {"depot": {"names": ["main"], "all": True}},
}
"""The answer of a server, to which the submit brings a new directory."""


@pytest.fixture
def beside(tmp_path: Path) -> Home:
    """Fixture: a home folder with a copy of the gate, which uses the Python beside that copy."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(PROGRAM, folder / "p4warden-gate")
    (folder / "python3").symlink_to(sys.executable)
    return Home(tmp_path / "home", folder / "p4warden-gate")


def give_account(home: Home) -> None:
    """Write the file with the server and the account of the last refresh."""
    (home.folder / "server.json").write_text("{}")


def answer_by(home: Home, script: str) -> None:
    """Put a script in place of the Python that asks the server, with an account to ask with."""
    give_account(home)
    python = home.program_folder / "python3"
    python.unlink()
    python.write_text(f"#!{sys.executable} -I\nimport json, os, signal, sys, time\n{script}\n")
    python.chmod(0o755)


def prepare(home: Home, script: str, *rules: dict[str, Any], on_error: str = "allow") -> None:
    """Judge by these rules, and by a script in place of the Python that asks the server."""
    answer_by(home, script)
    home.know(FACTS)
    home.activate(policy(*rules, on_error=on_error))


def printing(answer: object) -> str:
    """Return a script that prints this answer."""
    return f"print({json.dumps(answer)!r})"


def save(
    home: Home, text: str = WIDE, *words: str, kind: str = "client", **more: Any
) -> GateReply:
    """Run the gate as p4d does for a form that is saved; return its reply."""
    form = home.folder.with_name("form")
    form.write_text(text, "utf-8", "surrogateescape")
    own_words = (f"--type={kind}", f"--form={form}", "--user=ann", "--name=ws")
    return home.run("form-save", "--on-error=allow", *own_words, *words, **more)


def submit(home: Home, *words: str, **more: Any) -> GateReply:
    own_words = ("--on-error=allow", "--user=ann", "--change=12")
    return home.run("change-submit", *own_words, *words, **more)
