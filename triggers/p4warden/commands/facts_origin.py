"""Describe the origin of the facts in a home folder, which may be about another server."""

from __future__ import annotations

import json
import time
from pathlib import Path

from p4warden.core import facts
from p4warden.home import trusted_files
from p4warden.worker import ask_server


def facts_note(home: str) -> str:
    """Return a note for users on the facts file of a home: its path, its server and its date."""
    file = Path(home, facts.FILE_NAME)
    day = time.strftime("%Y-%m-%d", time.localtime(file.stat().st_mtime))
    return (
        f"the depots' top directories come from {file}, collected from {_server(home)} on {day} "
        "(specify another file with --facts)"
    )


def _server(home: str) -> str:
    try:
        account = json.loads(trusted_files.read(home, ask_server.FILE_NAME))
        return str(account["port"])
    except (trusted_files.HomeError, ValueError, KeyError, TypeError):
        return "an unknown server"
