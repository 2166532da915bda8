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
    """Temporary, or a given folder; raises P4WardenError unless that is new or empty."""

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
        return self.root / "tickets"

    @property
    def passwords_file(self) -> Path:
        return self.root / "passwords"

    def write(self, file: Path, text: str) -> None:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        self._undo.callback(file.unlink, missing_ok=True)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)

    def clear(self) -> None:
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
