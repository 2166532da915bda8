"""The client with which a deploy tries its triggers out.

Its name is random, stands in the home folder, and holds for some minutes. Its events are judged
as if every rule were enforced and no one exempt: whoever guessed the name would only be treated
more strictly.
"""

from __future__ import annotations

from p4warden.core.light_typing import NamedTuple
from p4warden.home import trusted_files

FILE_NAME = "trial"
PREFIX = "p4warden-trial-"
LASTS_S = 300


class Trial(NamedTuple):
    """A client that is tried with, and until when, in seconds since the epoch."""

    client: str
    until_s: int


def announce(home: str, client: str, now_s: int) -> None:
    """Make a client's name known to the triggers of a home folder.

    Raises:
        HomeError: it cannot be written.
    """
    trusted_files.replace(home, FILE_NAME, f"{client} {now_s + LASTS_S}\n".encode())


def withdraw(home: str) -> None:
    """Take the name back.

    Raises:
        HomeError: its file cannot be removed.
    """
    trusted_files.remove(home, FILE_NAME)


def announced(home: str) -> Trial | None:
    """Return the trial announced and not withdrawn, however long ago; None without one."""
    try:
        client, until_s = trusted_files.read(home, FILE_NAME).decode("ascii").split()
        return Trial(client, int(until_s)) if client.startswith(PREFIX) else None
    except (trusted_files.HomeError, ValueError):
        return None


def is_trial(home: str, clients: tuple[str | None, ...], now_s: int) -> bool:
    """Tell whether one of the clients is being tried with."""
    if not any(client is not None and client.startswith(PREFIX) for client in clients):
        return False
    trial = announced(home)
    return trial is not None and trial.client in clients and now_s < trial.until_s
