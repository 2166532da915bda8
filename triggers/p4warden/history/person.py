"""Who ran a command and from where, as far as a process can tell.

Two names come from the kernel and cannot be set by the account itself: `account`, the real user,
and `login`, the audit identity that pam_loginuid sets at login and that `su` and `sudo` keep
(audit_setloginuid(3)). `SUDO_USER`, `P4USER` and `SSH_CONNECTION` that person can set.
"""

from __future__ import annotations

import os
import pwd
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.history.change import Person

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOGIN_FILE = Path("/proc/self/loginuid")
_NO_LOGIN = 2**32 - 1
"""Of a process that no login started, for example of a timer."""


def present_person(environment: Mapping[str, str], p4user: str | None = None) -> Person:
    """Return the person who runs this process; `p4user` is that of the present connection."""
    return Person(
        account=_name_of(os.getuid()),
        login=_login(),
        sudo_user=environment.get("SUDO_USER") or None,
        p4user=p4user or environment.get("P4USER") or None,
        host=socket.gethostname(),
        terminal=_terminal(),
        ssh_from=environment.get("SSH_CONNECTION", "").partition(" ")[0] or None,
    )


def _name_of(account: int) -> str:
    try:
        return pwd.getpwuid(account).pw_name
    except KeyError:
        return str(account)


def _login() -> str | None:
    try:
        account = int(_LOGIN_FILE.read_text())
    except (OSError, ValueError):
        return None
    return None if account == _NO_LOGIN else _name_of(account)


def _terminal() -> str | None:
    try:
        return os.ttyname(0)
    except OSError:
        return None
