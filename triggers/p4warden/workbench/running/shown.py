"""Running processes as a table, as JSON and as metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.monitor_counters import LOCK_WAITERS
from p4warden.core.printable import cut
from p4warden.metrics.exposition import GAUGE, Family, Sample
from p4warden.reports.rows import Table, number
from p4warden.workbench.running.processes import (
    OTHER,
    STATES,
    by_age,
    counts_by_command,
    counts_by_state,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.core.monitor_counters import Counter
    from p4warden.workbench.running.processes import Process

_COLUMNS = ("Process", "State", "User", "Age", "Command", "Arguments", "Client", "Program", "Host")


def facts(
    server: str, processes: Sequence[Process], counters: Mapping[str, Counter]
) -> Iterator[str]:
    """Yield the lines above the table."""
    states = counts_by_state(processes)
    words = [f"{number(states[name])} {name}" for name in STATES.values() if states[name]]
    yield f"{server}: {', '.join(words) or 'no process'}"
    waiters = counters.get(LOCK_WAITERS)
    if waiters is not None:
        most = "" if waiters.maximum is None else f", at most {number(waiters.maximum)} so far"
        yield f"{number(waiters.value)} wait for a lock on a table{most}"


def table(processes: Sequence[Process]) -> Table:
    """Return all processes, the oldest first, idle ones last."""
    rows = [_row(one) for one in by_age(processes)]
    return Table("running", "Processes", "Oldest first.", _COLUMNS, rows, frozenset((0, 3)))


def document(processes: Sequence[Process], counters: Mapping[str, Counter]) -> dict[str, Any]:
    """Return processes and counters for JSON."""
    return {
        "processes": [one._asdict() for one in by_age(processes)],
        "counters": {name: counter._asdict() for name, counter in sorted(counters.items())},
    }


def families(processes: Sequence[Process], counters: Mapping[str, Counter]) -> Iterator[Family]:
    """Yield the metrics, without names of users.

    p4metrics of perforce/p4prometheus calls them p4_monitor_by_state, p4_monitor_by_cmd,
    p4_monitor_max_cmd_time and p4_rtv_*.
    """
    states, commands = counts_by_state(processes), counts_by_command(processes)
    by_state = (Sample({"state": name}, states[name]) for name in (*STATES.values(), OTHER))
    by_command = (Sample({"command": cut(name)}, commands[name]) for name in sorted(commands))
    ages = [one.age_s or 0 for one in processes if one.is_at_work]
    yield _gauge("processes", "Processes, by state.", *by_state)
    yield _gauge("commands", "Processes that are not idle, by command.", *by_command)
    yield _gauge("oldest_seconds", "Age of the oldest command.", Sample({}, max(ages, default=0)))
    values = (Sample({"name": name}, one.value) for name, one in sorted(counters.items()))
    yield _gauge("counter", "Counters of the server's rt.monitorfile.", *values)


def _gauge(name: str, text: str, *samples: Sample) -> Family:
    return Family(f"p4warden_running_{name}", GAUGE, text, samples)


def _row(one: Process) -> tuple[str, ...]:
    texts = (one.command, one.args or "", one.client or "", one.program or "", one.host or "")
    return str(one.number), one.state, cut(one.user), _age(one.age_s), *map(cut, texts)


def _age(age_s: int | None) -> str:
    if age_s is None:
        return "-"
    minutes, seconds = divmod(age_s, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
