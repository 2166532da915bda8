"""Store the name of the temporary client with which a deployment tests new triggers.

The name is random, stored in the home folder, and valid for some minutes. Events of this client
are judged as if no user were exempt and every rule that is not `off` were enforced, so guessing
the name only leads to stricter treatment.
"""

from __future__ import annotations

from p4warden.core.light_typing import NamedTuple
from p4warden.home import trusted_files

FILE_NAME = "trial"
PREFIX = "p4warden-trial-"
LASTS_S = 300
MAX_BYTES = 256
"""Largest size in bytes of the file with the temporary client. Its line `CLIENT SECONDS` has the
client's name, and the end of its validity in seconds since the epoch.
"""

_TOO_LARGE = 2**64


class Trial(NamedTuple):
    """Name of a deployment's temporary client, valid until `until_s` (seconds since the epoch)."""

    client: str
    until_s: int


def announce(home: str, client: str, now_s: int) -> None:
    """Store the name of a deployment's temporary client in the home folder, for the triggers.

    Raises:
        HomeError: the file cannot be written.
    """
    trusted_files.replace(home, FILE_NAME, f"{client} {now_s + LASTS_S}\n".encode())


def withdraw(home: str) -> None:
    """Remove the name of a deployment's temporary client from the home folder.

    Raises:
        HomeError: the file cannot be removed.
    """
    trusted_files.remove(home, FILE_NAME)


def announced(home: str) -> Trial | None:
    """Return the stored temporary client of a deployment's test, even if expired, or None."""
    try:
        return _read(trusted_files.read(home, FILE_NAME).decode("utf-8"))
    except (trusted_files.HomeError, ValueError):
        return None


def _read(text: str) -> Trial | None:
    client, blank, until = text.removesuffix("\n").partition(" ")
    is_whole = bool(blank) and text.endswith("\n") and len(text.encode()) <= MAX_BYTES
    if not (is_whole and client.startswith(PREFIX) and until.isascii() and until.isdigit()):
        return None
    return Trial(client, int(until)) if int(until) < _TOO_LARGE else None


def is_trial(home: str, clients: tuple[str | None, ...], now_s: int) -> bool:
    """Tell whether one of these clients is a deployment's temporary client, valid at `now_s`."""
    if not any(client is not None and client.startswith(PREFIX) for client in clients):
        return False
    trial = announced(home)
    return trial is not None and trial.client in clients and now_s < trial.until_s
