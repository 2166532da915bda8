"""Read the gate's records of accounts that still call outdated trigger lines.

A connection may keep the triggers table that it first saw (inferred: P4Python's own suite connects
again after it saved the table). So replaced or removed lines are called until the connections that
know them are closed.
"""

from __future__ import annotations

from p4warden.home import trusted_files
from p4warden.home.decision_log import records

FILE_NAME = "old_lines.jsonl"


def accounts(home: str, since_s: float, digest: str | None = None) -> dict[str, float]:
    """Return by account the time of the last call of an outdated trigger line, since a time.

    Times are in seconds since the epoch. Calls of lines with `digest`, that of the table's present
    lines, do not count: after a rollback, lines recorded as outdated are present again.

    Raises:
        HomeError: the file is not trusted.
    """
    content = trusted_files.read_if_there(home, FILE_NAME) or b""
    last_calls: dict[str, float] = {}
    for record in records(content.splitlines()):
        user, time_s = record.get("user") or "(unknown)", record.get("time")
        if digest and record.get("lines") == digest:
            continue
        if isinstance(time_s, int | float) and time_s >= since_s:
            last_calls[str(user)] = max(time_s, last_calls.get(str(user), 0.0))
    return last_calls
