"""Read and append history.jsonl, the history of a home folder: one JSON line per change.

Each line is synced to disk and, if syslog accepts it, copied there; p4warden never rewrites one.
The file belongs to the account that makes the changes, so it proves nothing against that account;
the copy in syslog does, if syslog forwards it to another host.
"""

from __future__ import annotations

import contextlib
import os
import socket
from typing import TYPE_CHECKING

from p4warden.history.change import Change, from_line, to_line
from p4warden.home import locks, synced_log, trusted_files

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "history.jsonl"
LOCK = "history.lock"
WAIT_S = 10.0
_SYSLOG_WAIT_S = 1.0
_PRIORITY = 10 * 8 + 6
"""Facility authpriv, severity info (RFC 5424, 6.2.1)."""
SYSLOG_VARIABLE = "P4WARDEN_SYSLOG"
_SYSLOG = "/dev/log"


def changes(home: str) -> list[Change]:
    """Return all, oldest first, without damaged lines; raise `HomeError` if it is not trusted."""
    content = trusted_files.read_if_there(home, FILE_NAME) or b""
    return [change for line in content.splitlines() if (change := from_line(line))]


def append(
    home: str, change: Change, environment: Mapping[str, str], wait_s: float = WAIT_S
) -> Change:
    """Append a change; return it with its new number.

    Raises:
        LockHeldError: other processes have held the lock for `wait_s` seconds.
        HomeError: the history cannot be read, or the line cannot be written.
    """
    with locks.file_lock(home, LOCK, wait_s):
        earlier_changes = changes(home)
        numbered_change = change._replace(
            number=earlier_changes[-1].number + 1 if earlier_changes else 1
        )
        line = to_line(numbered_change)
        synced_log.append(home, FILE_NAME, line)
    _copy_to_syslog(line.decode().rstrip("\n"), environment)
    return numbered_change


def syslog_socket(environment: Mapping[str, str]) -> str | None:
    """Return the path in `P4WARDEN_SYSLOG`, by default /dev/log; None if it does not exist."""
    path = environment.get(SYSLOG_VARIABLE, _SYSLOG)
    return path if path and os.path.exists(path) else None  # noqa: PTH110 - as it is named


def _copy_to_syslog(line: str, environment: Mapping[str, str]) -> None:
    """`logging.handlers.SysLogHandler` would wait for ever for a blocked syslog."""
    path = syslog_socket(environment)
    if path is None:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.settimeout(_SYSLOG_WAIT_S)
        sender.connect(path)
        sender.send(f"<{_PRIORITY}>p4warden: {line}".encode())
