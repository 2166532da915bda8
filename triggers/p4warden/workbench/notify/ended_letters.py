"""Letters about commands that `p4warden running --enforce` ended, one for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.core.printable import printable
from p4warden.workbench.notify import Letter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from p4warden.workbench.notify.letters import Wording

_PARTS = ("user", "command", "detail", "rule")


def ended(records: Iterable[Mapping[str, Any]], since_s: float) -> dict[str, list[dict[str, Any]]]:
    """Return the records of ended commands since a time, in seconds since the epoch, by user."""
    by_user: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        is_end = (record.get("event"), record.get("verdict")) == ("running", "refuse")
        is_whole = all(isinstance(record.get(name), str) for name in _PARTS)
        time_s = record.get("time")
        if is_end and is_whole and isinstance(time_s, int | float) and time_s >= since_s:
            by_user.setdefault(record["user"], []).append(dict(record))
    return by_user


def letter(
    user: str,
    record: Mapping[str, Any],
    wording: Wording,
    time_text: Callable[[float], str],
) -> Letter:
    """Return the letter about one record of the decision log, without an address."""
    command = f"p4 {printable(record['command'])}"
    client = f" (client {printable(str(record['client']))})" if record.get("client") else ""
    parts = [
        f"Hello {printable(user)},",
        f"On {time_text(record['time'])}, {wording.server} ended your command {command}{client}:",
        f"{printable(record['detail'])} (rule {printable(record['rule'])}).",
        "Try it on fewer files at a time; if you need all at once, ask below.",
        f"Questions: {wording.contact}",
    ]
    subject = f"Your command {command} was ended"
    return Letter(user, "", subject, "\n\n".join(parts) + "\n")
