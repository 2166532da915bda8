"""The digest of the table's present trigger lines, and the accounts that still call outdated ones.

A connection may keep the triggers table that it first saw (inferred: P4Python's own suite connects
again after it saved the table). So replaced or removed lines are called until the connections that
know them are closed.

Each line contains the digest of its set of lines (`core.trigger_options`). If a trigger is called
by a line with another digest than the stored one, its connection uses an outdated table, and the
gate records the account. While a deploy writes the table the digest is absent; then nothing is
recorded.
"""

from __future__ import annotations

from p4warden.home import trusted_files
from p4warden.home.decision_log import records

FILE_NAME = "old_lines.jsonl"
DIGEST_FILE_NAME = "lines_digest"


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


def keep_digest(home: str, digest: str | None) -> None:
    """Store the digest of the server's present p4warden trigger lines; None removes the file."""
    if digest is None:
        trusted_files.remove(home, DIGEST_FILE_NAME)
    else:
        trusted_files.replace(home, DIGEST_FILE_NAME, digest.encode("ascii"))


def last_digest(home: str) -> str | None:
    """Return the stored digest of the server's present trigger lines; None without one."""
    content = trusted_files.read_if_there(home, DIGEST_FILE_NAME)
    return None if content is None else content.decode("ascii", "replace")
