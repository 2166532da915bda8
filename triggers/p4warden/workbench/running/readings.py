"""Readings of a server's processes, and the events by which the gate judges them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.workbench.running.processes import Process


class Reading(NamedTuple):
    """`time_s` is by the server's clock, since the epoch; `steady_s` by one that nobody sets.

    Without processes that share a number.
    """

    by_number: Mapping[int, Process]
    time_s: float
    steady_s: float
    server: str = ""  # its id
    services: str = ""

    def at_work(self) -> list[Process]:
        return [one for one in self.by_number.values() if one.is_at_work]


def reading(processes: Sequence[Process], time_s: float, steady_s: float) -> Reading:
    """Return the reading of all processes, of which those that share a number are left out."""
    counts = Counter(one.number for one in processes)
    by_number = {one.number: one for one in processes if counts[one.number] == 1}
    return Reading(by_number, time_s, steady_s)


class Person(NamedTuple):
    """`user_type` is empty if unknown; `groups` are the lists that p4d may mean by groups."""

    user_type: str = ""
    groups: Sequence[tuple[str, ...]] = ((),)


def event(
    number: int,
    readings: Sequence[Reading],
    user_type: str = "",
    groups: Sequence[str] = (),
    clock_set_s: float | None = None,
) -> dict[str, Any] | None:
    """Return the event of a process for `judge`, as the readings in order tell of it.

    None if the process is not in each of them.
    """
    rows = [_row(reading, number) for reading in readings]
    *earlier, last = (row for row in rows if row is not None)
    if len(earlier) + 1 < len(rows):
        return None
    person = {"user_type": user_type, "groups": list(groups)}
    clock = {} if clock_set_s is None else {"clock_set": clock_set_s}
    return {"event": "running", **last, **person, **clock, "earlier": earlier}


def _row(reading: Reading, number: int) -> dict[str, Any] | None:
    one = reading.by_number.get(number)
    if one is None:
        return None
    values = {
        "number": one.number,
        "state": one.state,
        "user": one.user,
        "client": one.client,
        "host": one.host,
        "prog": one.program,
        "command": one.command,
        "args": None if one.args is None else [one.args],
        "age_s": one.age_s,
        "time": reading.time_s,
        "steady": reading.steady_s,
        "server": reading.server or None,
        "services": reading.services or None,
    }
    return {name: value for name, value in values.items() if value is not None}
