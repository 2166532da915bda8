"""The temporary folder and the p4d that `p4warden prove` uses for experiments."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from p4warden.prove import recorder

if TYPE_CHECKING:
    from pathlib import Path

SUPER, USER, OTHER = "prove-super", "prove-ann", "prove-bob"
"""Perforce users of the experiments: a super user, a user with a ticket, and a user with a
password but no ticket."""
HOST = "prove-host"
"""The host name that the experiments' connections send to p4d, in place of this host's name."""
_OF_SANDBOX = "P4WARDEN_SANDBOX_"


class ExperimentSite(NamedTuple):
    """Temporary folder of `p4warden prove`, port of its p4d, and passwords by user name.

    `program` is the path of that p4d. The experiments' processes get the passwords on standard
    input, never in a file.
    """

    folder: Path
    port: str
    passwords: dict[str, str]
    program: str = ""

    @property
    def root(self) -> Path:
        """The server root (P4ROOT) of the p4d that `p4warden prove` starts."""
        return self.folder / "root"

    @property
    def log(self) -> Path:
        """The log file of the p4d that `p4warden prove` starts."""
        return self.folder / "log"

    @property
    def journal(self) -> Path:
        """The journal of the p4d that `p4warden prove` starts."""
        return self.folder / "journal"

    @property
    def calls(self) -> Path:
        """The folder where triggers of `p4warden prove` record calls and read answers."""
        return self.folder / "calls"

    @property
    def recorder(self) -> Path:
        """The path of the copied program that records trigger calls for `p4warden prove`."""
        return self.folder / "recorder.py"

    @property
    def tickets(self) -> Path:
        """The path of the file with the tickets of the users of `p4warden prove`."""
        return self.folder / "tickets"

    @property
    def work(self) -> Path:
        """The folder that contains the root folders of the clients of `p4warden prove`."""
        return self.folder / "work"

    def make_folders(self) -> None:
        """Create the folders of these experiments, and copy the recorder of trigger calls."""
        for folder in (self.folder, self.root, self.calls, self.work, self.folder / "tmp"):
            folder.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(recorder.__file__, self.recorder)

    def environment(self) -> dict[str, str]:
        """Return the environment variables for the p4d and the experiments of `p4warden prove`.

        From the caller's environment only the settings of p4warden's sandbox are passed on; a real
        p4d does not know them. PATH is a fixed list of system folders, which p4d may need; the
        experiments name programs by absolute paths.
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
