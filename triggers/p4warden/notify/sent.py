"""The list of letters that were sent: one line of JSON each, so that nobody gets one twice."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError

if TYPE_CHECKING:
    from p4warden.notify import Letter


def digest(letter: Letter) -> str:
    """Return a digest of a letter: its recipient and every word of it."""
    text = "\0".join(letter)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class SentLetters:
    """Letters that were sent, in a file of this account alone."""

    def __init__(self, file: str) -> None:
        """Read the list; none is there before the first letter.

        Raises:
            P4WardenError: the file cannot be read.
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
        """Tell whether this very letter was sent."""
        return digest(letter) in self._digests

    def add(self, letter: Letter, time_s: int) -> None:
        """Note that a letter is being sent; on the disk before it leaves.

        A crash in between leaves a letter unsent that counts as sent, and none sent twice.
        """
        self._write(letter, time_s)
        self._digests.add(digest(letter))

    def take_back(self, letter: Letter, time_s: int) -> None:
        """Note that a letter was refused, so that it is sent the next time."""
        self._write(letter, time_s, refused=True)
        self._digests.discard(digest(letter))

    def _write(self, letter: Letter, time_s: int, **more: bool) -> None:
        row = {"time_s": time_s, "owner": letter.owner, "address": letter.address, **more}
        line = json.dumps({**row, "digest": digest(letter)}) + "\n"
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
