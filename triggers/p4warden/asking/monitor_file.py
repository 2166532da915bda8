"""The counters in a server's `rt.monitorfile`, from `p4warden-gate monitor-file`."""

from __future__ import annotations

from p4warden.asking.gate_program import NAME, GateError, answer
from p4warden.core.monitor_counters import Counter


def counters(path: str) -> dict[str, Counter]:
    """Return the counters by name.

    Raises:
        GateError: the file cannot be read, or is not a monitor file.
    """
    try:
        document = answer("monitor-file", path)
    except GateError as error:
        raise GateError(str(error).removeprefix(f"{NAME}: ")) from error
    return {name: Counter(one["value"], one["maximum"]) for name, one in document.items()}
