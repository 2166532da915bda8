from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.asking.gate_program import answer
from p4warden.home import trusted_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STATE_FILE = "state"


def counts(home: str) -> dict[str, Any] | None:
    """Return the gate's counters of decisions in a home folder, and the decisions not logged yet.

    The shape is `{"allowed": N, "observed": N, ..., "owed": [{"time": ..., "event": ...,
    "verdict": ..., "rule": ..., ...}], "at_once": [{"rule": ..., "running": N, "waiting": N}]}`,
    the last with the rules that count commands at once; None if the gate has not counted
    anything yet.

    Raises:
        GateError: the gate is missing or cannot read its counters, for example under another
            account than p4d's.
    """
    if not trusted_files.has(home, STATE_FILE):
        return None
    document: dict[str, Any] = answer("counts", "--home", home)
    return document


def owed_records(counts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the decisions not logged yet as records of the log.

    The gate keeps the time of the last: it is assigned to all.
    """
    for entry in counts.get("owed", ()):
        is_fault = entry["verdict"] == "fault"
        yield {"fault" if is_fault and name == "rule" else name: entry[name] for name in entry}
