from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from p4warden.asking import gate_program
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.health import GOOD, WARNING, Check
from p4warden.history.local_time import minute_text
from p4warden.home import decision_log, gate_counts
from p4warden.home.rotated_files import LogFileError, lines_of

if TYPE_CHECKING:
    from p4warden.health import CheckedInstallation

_PAST_S = 86400
"""Age of the last fault of p4warden, in seconds, above which its cause counts as removed."""


def check(place: CheckedInstallation) -> Check:
    """Check the gate's counters of decisions and faults.

    The fault counter never decreases; so a warning depends on the time of the last fault in the
    decision log.
    """
    try:
        counts = gate_counts.counts(place.home)
    except (gate_program.GateError, ValueError) as error:
        remedy = "run this as p4d's account, or reinstall p4warden"
        return Check("counts", WARNING, f"the gate's counts cannot be read: {error}", remedy)
    if counts is None:
        return Check("counts", GOOD, "no decisions yet")
    faults = amount(counts["faults"], "fault")
    line = f"{counts['allowed']} allowed, {counts['refused']} refused, {faults}"
    return _fault_check(place, line) if counts["faults"] else Check("counts", GOOD, line)


def _fault_check(place: CheckedInstallation, line: str) -> Check:
    last_fault = _last_fault(place.home)
    if last_fault is None:
        return Check("counts", GOOD, f"{line}; the log no longer has their records")
    last_s, cause = last_fault
    line += f", the last {minute_text(last_s)}: {cut(cause)}"
    if last_s < place.now_ns / 10**9 - _PAST_S:
        return Check("counts", GOOD, line)
    hint = f"p4warden report --home {place.home} lists them"
    return Check("counts", WARNING, line, f"{hint}; this warning ends after a day without a fault")


def _last_fault(home: str) -> tuple[float, str] | None:
    for path in reversed(decision_log.paths(home)[-2:]):
        with contextlib.suppress(LogFileError):
            fault_lines = [line for line in lines_of(path) if b'"fault"' in line]
            faults = [one for one in decision_log.records(fault_lines) if "fault" in one]
            times = [(one.get("time"), str(one["fault"])) for one in faults]
            dated = [(at, cause) for at, cause in times if isinstance(at, int | float)]
            if dated:
                return max(dated)
    return None
