"""The folder of a sandbox server, accessible to its owner only, removed or cleared at stop."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from p4warden.core.errors import P4WardenError

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


class ServerFolder:
    """A sandbox server's folder: a temporary one, or a given one, which must be new or empty.

    Raises:
        P4WardenError: the given folder cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._undo = ExitStack()
        if path is None:
            self.root = Path(tempfile.mkdtemp(prefix="p4warden-sandbox-"))
            self._undo.callback(shutil.rmtree, self.root)
        else:
            self.root = path.absolute()
            _take(self.root)
        self.temp = self.root / "tmp"
        self.temp.mkdir(_PRIVATE_FOLDER)
        self._undo.callback(shutil.rmtree, self.temp, ignore_errors=True)

    @property
    def tickets_file(self) -> Path:
        """Path of a P4TICKETS file with tickets of sandbox users who need not type a password."""
        return self.root / "tickets"

    @property
    def passwords_file(self) -> Path:
        """Path of the file with the sandbox users' first passwords, one `user:password` a line."""
        return self.root / "passwords"

    def write(self, file: Path, text: str) -> None:
        """Write a new file, readable by its owner only, in the sandbox's folder."""
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        self._undo.callback(file.unlink, missing_ok=True)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)

    def clear(self) -> None:
        """Remove a temporary sandbox folder; from a given one, remove the files of the sandbox."""
        self._undo.close()


def _take(root: Path) -> None:
    try:
        root.mkdir(_PRIVATE_FOLDER, exist_ok=True)
        if any(root.iterdir()):
            raise P4WardenError(f"{root}: not empty; specify a new folder for the sandbox")
        root.chmod(_PRIVATE_FOLDER)
    except OSError as error:
        reason = error.strerror
        raise P4WardenError(f"{root}: {reason}; specify a new folder for the sandbox") from None
