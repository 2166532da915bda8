from __future__ import annotations

from typing import TYPE_CHECKING

import P4

from p4warden.core.errors import P4WardenError
from p4warden.pulse.loads import Load
from p4warden.running.processes import process
from p4warden.server.connection import connected
from p4warden.server.questions import ask
from p4warden.server.timed_commands import WAIT_S

if TYPE_CHECKING:
    from p4warden.running.processes import Process
    from p4warden.server.connection import Address

MONITOR_DISABLED = (7 << 10) | 137
"""`Monitor not currently enabled.` (msgs/msgserver.cc 137)."""


def processes(p4: P4.P4) -> list[Process]:
    """Return the server's processes, with arguments and programs if the account may see them.

    `-a`, `-e` and `-l` need the operator type or super access; the plain list does not
    (p4 help monitor, 2024.2).

    Raises:
        P4WardenError: the server does not monitor.
        P4.P4Exception: the account may not list processes.
    """
    try:
        rows = ask(p4, "monitor", "show", "-ael")
    except P4.P4Exception as error:
        if MONITOR_DISABLED in {message.msgid for message in p4.messages}:
            raise P4WardenError(
                f"{p4.port} does not monitor its commands; "
                "a super user switches that on: p4 configure set monitor=1"
            ) from error
        rows = [_plain(row) for row in ask(p4, "monitor", "show")]
    texts = ({name: str(value) for name, value in row.items()} for row in rows)
    return [one for row in texts if (one := process(row)) is not None]


def _plain(row: dict[str, str]) -> dict[str, str]:
    """Return the fields that every account may see: others are absent, or empty."""
    return {name: row[name] for name in ("id", "status", "user", "time", "command") if name in row}


def load(address: Address, time_s: float) -> Load | None:
    """Return the number of running commands; None if the server does not tell this account."""
    try:
        with connected(address, WAIT_S) as p4:
            now = [one for one in processes(p4) if one.is_at_work and one.command != "monitor"]
            return Load(time_s, p4.port, len(now))
    except P4WardenError:
        return None
