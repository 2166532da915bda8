"""A file for others to read, replaced by rename: whoever opens it sees the old or the new one."""

from __future__ import annotations

import os
from pathlib import Path

from p4warden.core.errors import P4WardenError


def write(path: str, text: str, mode: int) -> None:
    """Write a file with exactly these rights, whatever the process's own mask says.

    Args:
        path: where; its folder must be there.
        text: what.
        mode: the rights, as `0o644`.

    Raises:
        P4WardenError: it cannot be written; the old file is then as it was.
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
