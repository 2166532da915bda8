from __future__ import annotations

from typing import Any

from p4warden.asking.gate_program import answer
from p4warden.home import trusted_files

STATE_FILE = "state"


def counts(home: str) -> dict[str, Any] | None:
    """Return the gate's counters of decisions in a home folder, and the decisions not logged yet.

    The shape is `{"allowed": N, "observed": N, ..., "owed": [{"time": ..., "event": ...,
    "verdict": ..., "rule": ..., ...}]}`; None if the gate has not counted anything yet.

    Raises:
        GateError: the gate is missing or cannot read its counters, for example under another
            account than p4d's.
    """
    if not trusted_files.has(home, STATE_FILE):
        return None
    document: dict[str, Any] = answer("counts", "--home", home)
    return document
