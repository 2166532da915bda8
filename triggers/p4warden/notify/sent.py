"""The list of sent letters, one JSON object a line, which prevents sending a letter twice."""

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
    """Return a digest of a letter: its recipient and its complete text."""
    text = "\0".join(letter)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class SentLetters:
    """The sent letters, in a file that only this account can read."""

    def __init__(self, file: str) -> None:
        """Read the list; the file is missing before the first letter.

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
        """Tell whether this letter, word for word, was sent."""
        return digest(letter) in self._digests

    def add(self, letter: Letter, time_s: int) -> None:
        """Record that a letter is being sent, on disk before sending.

        After a crash in between, a letter that was not sent counts as sent, but none is sent
        twice.
        """
        self._write(letter, time_s)
        self._digests.add(digest(letter))

    def take_back(self, letter: Letter, time_s: int) -> None:
        """Record that a letter was not accepted, so that the next run sends it."""
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
