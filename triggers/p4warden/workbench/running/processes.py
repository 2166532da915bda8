from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_AGE = re.compile(r"(\d{1,9}):([0-5]\d):([0-5]\d)")
STATES = {
    "R": "running",
    "T": "ending",  # marked by `p4 monitor terminate`
    "P": "paused",
    "B": "background",  # a replica's
    "F": "finishing",  # a replica's
    "I": "idle",
}
OTHER = "other"
_IDLE_COMMAND = "IDLE"


class Process(NamedTuple):
    """One row of `p4 monitor show`; a field that the server left out is None.

    Users choose the names of hosts and programs, which may be empty.
    `number` is the process's on Unix, the thread's on Windows. One connection keeps it for all its
    commands, so it alone does not identify a command.
    """

    number: int
    state: str  # a value of STATES, or `other`
    user: str
    command: str
    age_s: int | None  # of this command; None also for the negative ages of servers before 2021.1
    args: str | None = None
    client: str | None = None
    host: str | None = None
    program: str | None = None

    @property
    def is_at_work(self) -> bool:
        return self.state != "idle" and self.command != _IDLE_COMMAND


def process(row: Mapping[str, str]) -> Process | None:
    """Return the process of a tagged row (keys: P4Java's ServerProcess); None without a number."""
    number = row.get("id", "").strip()
    if not re.fullmatch(r"\d{1,18}", number, re.ASCII):
        return None
    args, client = (row.get(name) or None for name in ("args", "client"))
    return Process(
        int(number),
        STATES.get(row.get("status", "").strip()[:1], OTHER),
        row.get("user", "").strip(),
        row.get("command", "").strip(),
        age_s(row.get("time", "")),
        args,
        client,
        row.get("host"),
        row.get("prog"),
    )


def age_s(text: str) -> int | None:
    """Parse `HH:MM:SS`, with as many hours as there are; None for any other text."""
    match = _AGE.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds = map(int, match.groups())
    return (hours * 60 + minutes) * 60 + seconds


def by_age(processes: Iterable[Process]) -> list[Process]:
    """Those at work before idle ones, the oldest first."""
    return sorted(processes, key=lambda one: (not one.is_at_work, -(one.age_s or 0), one.number))


def counts_by_state(processes: Iterable[Process]) -> Counter[str]:
    """Return the number of processes by state."""
    return Counter(one.state if one.is_at_work else "idle" for one in processes)


def counts_by_command(processes: Iterable[Process]) -> Counter[str]:
    """Return the number of processes that are not idle, by command."""
    return Counter(one.command for one in processes if one.is_at_work)
