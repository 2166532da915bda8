from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from p4warden.prove import recorder

if TYPE_CHECKING:
    from pathlib import Path

SUPER, USER, OTHER = "prove-super", "prove-ann", "prove-bob"
"""A super user, a user with a ticket, and a user with a password but no ticket."""
HOST = "prove-host"
"""Sent by the experiments' connections in place of this host's name."""
_OF_SANDBOX = "P4WARDEN_SANDBOX_"


class ExperimentSite(NamedTuple):
    """The experiments' processes get the passwords on standard input, never in a file."""

    folder: Path
    port: str
    passwords: dict[str, str]
    program: str  # the path of its p4d

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    @property
    def calls(self) -> Path:
        """Triggers record calls and read answers here."""
        return self.folder / "calls"

    @property
    def recorder(self) -> Path:
        """The copied program that records trigger calls."""
        return self.folder / "recorder.py"

    @property
    def tickets(self) -> Path:
        return self.folder / "tickets"

    @property
    def work(self) -> Path:
        """Contains the root folders of clients."""
        return self.folder / "work"

    def make_folders(self) -> None:
        for folder in (self.folder, self.root, self.calls, self.work, self.folder / "tmp"):
            folder.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(recorder.__file__, self.recorder)

    def environment(self) -> dict[str, str]:
        """From the caller's environment only the settings of p4warden's sandbox are passed on.

        PATH is a fixed list of system folders, which p4d may need; the experiments name programs
        by absolute paths.
        """
        sandbox = {n: v for n, v in os.environ.items() if n.startswith(_OF_SANDBOX)}
        return sandbox | {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder / "tmp"),
            "TEMP": str(self.folder / "tmp"),
            "TMP": str(self.folder / "tmp"),
            "LC_ALL": "C.UTF-8",
            "P4CHARSET": "none",
            "P4ENVIRO": str(self.folder / "enviro"),
            "P4TICKETS": str(self.tickets),
            "P4TRUST": str(self.folder / "trust"),
        }
