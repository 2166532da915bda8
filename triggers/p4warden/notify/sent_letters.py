"""A file that lists the letters already sent, a JSON object a line, so that none is sent twice."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError, os_errors_as
from p4warden.home import synced_log

if TYPE_CHECKING:
    from p4warden.notify import Letter


def digest(letter: Letter) -> str:
    """Return the SHA-256 in hex of owner, address, subject and text."""
    text = "\0".join(letter)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class SentLetters:
    def __init__(self, file: str) -> None:
        """A missing file means that no letter was sent yet.

        Raises:
            P4WardenError: the file cannot be read, or a line is not the record of a letter.
        """
        self._file = file
        self._digests: set[str] = set()
        try:
            with Path(file).open(encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    change = self._digests.discard if row.get("refused") else self._digests.add
                    change(row["digest"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"{file}: the list of sent letters cannot be read: {error}"
            raise P4WardenError(problem) from error

    def has(self, letter: Letter) -> bool:
        return digest(letter) in self._digests

    def add(self, letter: Letter, time_s: int) -> None:
        """Record a letter before the caller sends it: after a crash it counts as sent."""
        self._write(letter, time_s)
        self._digests.add(digest(letter))

    def take_back(self, letter: Letter, time_s: int) -> None:
        """Record that the mail system refused a letter, so that the next run sends it again."""
        self._write(letter, time_s, refused=True)
        self._digests.discard(digest(letter))

    def _write(self, letter: Letter, time_s: int, **more: bool) -> None:
        row = {"time_s": time_s, "owner": letter.owner, "address": letter.address, **more}
        line = json.dumps({**row, "digest": digest(letter)}) + "\n"
        with os_errors_as(P4WardenError, f"{self._file}: cannot be written"):
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                synced_log.write_whole(handle, line.encode())
            finally:
                os.close(handle)
