"""The gate's counters of decisions and faults."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from p4warden.asking.gate_program import GateError
from p4warden.core.plural import amount
from p4warden.core.printable import cut
from p4warden.health import GOOD, UNKNOWN, WARNING, Check
from p4warden.health.steps import step
from p4warden.history.local_time import minute_text
from p4warden.home import decision_log, gate_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.health import CheckedInstallation

_PAST_S = 86400
_LISTED = "this warning ends after a day without a fault; this lists them"
_OVER = "over, as far as the other checks tell"


def checks(place: CheckedInstallation, *, is_over: bool) -> Iterator[Check]:
    """Check the counters; a fault of the last day is a warning.

    Args:
        place: the installation.
        is_over: whether no other check finds what may still cause faults.
    """
    if place.gate_problem:
        return  # `programs.checks` names what only the gate can tell
    try:
        counts = gate_counts.counts(place.home)
    except (GateError, ValueError) as error:
        yield Check("counts", UNKNOWN, f"the gate's counts cannot be read: {error}")
        return
    if counts is None:
        yield Check("counts", GOOD, "no decisions yet")
        return
    faults = amount(counts["faults"], "fault")
    line = f"{counts['allowed']} allowed, {counts['refused']} refused, {faults}"
    if counts["faults"]:
        yield _of_faults(place, line, is_over=is_over)
    else:
        yield Check("counts", GOOD, line)


def _of_faults(place: CheckedInstallation, line: str, *, is_over: bool) -> Check:
    last_fault = _last_fault(place.home)
    if last_fault is None:
        return Check("counts", GOOD, f"{line}; the log no longer has their records")
    last_s, cause = last_fault
    line += f", the last {minute_text(last_s)}"
    if last_s < place.now_ns / 10**9 - _PAST_S:
        return Check("counts", GOOD, f"{line}: {cut(cause)}")
    line += f" ({_OVER}): {cut(cause)}" if is_over else f": {cut(cause)}"
    report = shlex.join(["p4warden", "report", "--home", place.home])
    return Check("counts", WARNING, line, step(_LISTED, report))


def _last_fault(home: str) -> tuple[float, str] | None:
    faults = (one for one in decision_log.newest(home, b'"fault"') if "fault" in one)
    times = ((one.get("time"), str(one["fault"])) for one in faults)
    return max(((at, cause) for at, cause in times if isinstance(at, int | float)), default=None)
