"""The person behind a command, and the place it was given from, as far as a process can tell.

Two fields come from the kernel and cannot be set by the account itself: `account`, the effective
user, and `login`, the audit identity that pam_loginuid sets at login and that `su` and `sudo` keep
(audit_setloginuid(3)). The others are environment variables, which whoever gives the command can
set to anything.
"""

from __future__ import annotations

import os
import pwd
import socket
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOGIN_FILE = Path("/proc/self/loginuid")
_NO_LOGIN = 2**32 - 1
"""The kernel's value for a process that no login started, such as a timer's."""


class Person(NamedTuple):
    """The person and the place of a command.

    Attributes:
        account: the effective user, by the kernel.
        login: the user who logged in, by the kernel; None where no login is known.
        sudo_user: `SUDO_USER`, which sudo sets and anyone else can.
        p4user: the Perforce user that asked the server, else `P4USER`.
        host: the name of this host.
        terminal: the terminal of standard input, None without one.
        ssh_from: the client address in `SSH_CONNECTION`, which sshd sets and anyone else can.
    """

    account: str
    login: str | None = None
    sudo_user: str | None = None
    p4user: str | None = None
    host: str = ""
    terminal: str | None = None
    ssh_from: str | None = None

    def names(self) -> str:
        """Return the names with their sources: `perforce (login anna, P4USER p4admin)`."""
        told = {"login": self.login, "sudo": self.sudo_user, "P4USER": self.p4user}
        also = ", ".join(f"{source} {name}" for source, name in told.items() if name)
        return f"{self.account} ({also})" if also else self.account


def present(environment: Mapping[str, str], p4user: str | None = None) -> Person:
    """Return the person who runs this process.

    Args:
        environment: the environment variables.
        p4user: the Perforce user of the connection in use; default: `P4USER`.
    """
    return Person(
        account=_name_of(os.geteuid()),
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
