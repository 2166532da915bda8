from __future__ import annotations

import time
from typing import TYPE_CHECKING

import P4

from p4warden.core.errors import P4WardenError
from p4warden.core.patterns import fold
from p4warden.core.server_dates import server_time_s
from p4warden.server.connection import connected
from p4warden.server.connection_failure import message_of
from p4warden.server.questions import ask, said, server_id
from p4warden.workbench.pulse.measurements import Load
from p4warden.workbench.pulse.timed_commands import WAIT_S
from p4warden.workbench.running.processes import process
from p4warden.workbench.running.readings import Person, Reading, reading

if TYPE_CHECKING:
    from p4warden.server.connection import Address
    from p4warden.workbench.running.processes import Process

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


class SteadyClock:
    def steady_s(self) -> float:
        """Return the time since the host started, suspensions included."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class RunningServer:
    """Readings of a server's processes, and the end of one."""

    def __init__(self, p4: P4.P4, clock: SteadyClock) -> None:
        self._p4, self._clock = p4, clock
        self._people: dict[str, Person] = {}

    def read(self) -> Reading:
        steady_s = self._clock.steady_s()
        info = ask(self._p4, "info")[0]
        time_s = server_time_s(str(info.get("serverDate", "")))
        time_s = time.time() if time_s is None else time_s
        return reading(processes(self._p4), time_s, steady_s)._replace(
            server=str(server_id(info) or ""), services=str(info.get("serverServices") or "")
        )

    def person(self, user: str) -> Person:
        if user not in self._people:
            self._people[user] = self._asked(user)
        return self._people[user]

    def terminate(self, number: int) -> str:
        try:
            messages = said(self._p4, "monitor", "terminate", str(number), tagged=False)
            return " ".join(messages.said)
        except P4.P4Exception as error:
            return message_of(error)

    def _asked(self, user: str) -> Person:
        """Return an unknown type for a name that the server would take for an option.

        A server that ignores case may list a user in another case than that of the command.
        """
        if user.startswith("-"):
            return Person()
        listed = ask(self._p4, "users", "-a", user)
        rows = [row for row in listed if _folded(row["User"]) == _folded(user)]
        groups = [self._groups(user), self._groups("-i", user)]
        return Person(str(rows[0].get("Type", "")) if len(rows) == 1 else "", groups)

    def _groups(self, *arguments: str) -> tuple[str, ...]:
        """It is not documented whether p4d passes groups of subgroups to triggers."""
        return tuple({row["group"]: None for row in ask(self._p4, "groups", *arguments)})


def _folded(user: str) -> str:
    return fold(user, case_sensitive=False)
