"""Write pages and metrics files, replaced by rename, so that no reader sees half a file."""

from __future__ import annotations

import os
from pathlib import Path

from p4warden.core.errors import P4WardenError


def write(path: str, text: str, mode: int) -> None:
    """Write or replace a file with given access rights, regardless of the process's umask.

    Args:
        path: the file's path; its folder must exist.
        text: the content.
        mode: the access rights, as `0o644`.

    Raises:
        P4WardenError: the file cannot be written; the old file is then unchanged.
    """
    fresh = Path(f"{path}.{os.getpid()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise P4WardenError(f"{path}: cannot be written: {error.strerror}") from error
