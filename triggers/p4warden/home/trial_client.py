"""Store the name of the temporary client with which a deployment tests new triggers.

The name is random, and each test uses it again: a spec depot keeps a file for every client name
for ever. So users can know it. During a test, some minutes at most, events of this client are
judged as if no user were exempt and every rule that is not `off` were enforced, so using the name
only leads to stricter treatment. If a user has taken the name, the next test gets another.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from p4warden.home import trusted_files

FILE_NAME = "trial"
NAME_FILE = "trial_client"
PREFIX = "p4warden-trial-"
LASTS_S = 300
"""The file has a line `CLIENT SECONDS` with the end in seconds since the epoch."""

_RANDOM_BYTES = 8
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{{2 * _RANDOM_BYTES}}}")


class Announcement(NamedTuple):
    client: str
    until_s: int


def name(home: str) -> str:
    """Return the name of a home folder's temporary client; a new one is stored if there is none.

    Raises:
        HomeError: the file with the name is not trusted, or cannot be written.
    """
    content = trusted_files.read_if_there(home, NAME_FILE) or b""
    stored = content.decode("ascii", "replace").removesuffix("\n")
    return stored if _NAME.fullmatch(stored) else renew(home)


def renew(home: str) -> str:
    """Choose another random name for a home folder's temporary client; return it."""
    fresh = f"{PREFIX}{os.urandom(_RANDOM_BYTES).hex()}"
    trusted_files.replace(home, NAME_FILE, f"{fresh}\n".encode())
    return fresh


def announce(home: str, client: str, now_s: int) -> None:
    """Store the name of a deployment's temporary client in the home folder, for the triggers."""
    trusted_files.replace(home, FILE_NAME, f"{client} {now_s + LASTS_S}\n".encode())


def withdraw(home: str) -> None:
    """Remove the name of a deployment's temporary client from the home folder."""
    trusted_files.remove(home, FILE_NAME)


def announced(home: str) -> Announcement | None:
    """Return the stored temporary client of a deployment's test, even if expired, or None."""
    try:
        client, until_s = trusted_files.read(home, FILE_NAME).decode("utf-8").split()
        return Announcement(client, int(until_s)) if client.startswith(PREFIX) else None
    except (trusted_files.HomeError, ValueError):
        return None
