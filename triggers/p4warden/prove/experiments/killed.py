from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_EVENT = ("command", "pre-user-depots$")
_ENDS: dict[str, dict[str, Any]] = {
    "exit-0": {"code": 0},
    "exit-1": {"code": 1},
    "exit-256": {"code": 256},
    "signal": {"signal": int(signal.SIGKILL)},
}


def run(lab: Lab) -> None:
    """Run a command with a trigger that exits, is killed, or is missing."""
    for name, behaviour in _ENDS.items():
        label = f"prove-{name}"
        with lab.part():
            lab.answer(label, **behaviour)
            lab.install(lab.line(label, *_EVENT))
            lab.step(name, lab.connect(), "depots")
    missing_program = lab.place.folder / "no-program-of-this-name"
    lab.install(f'prove-missing command pre-user-depots$ "%quote%{missing_program}%quote%"')
    lab.step("missing", lab.connect(), "depots")


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive p4d's reactions to exiting, killed and missing triggers."""
    outcomes = {name: _passed(steps.get(name)) for name in (*_ENDS, "missing")}
    as_status = {"allowed": "success", "refused": "failure"}
    signal_outcome = outcomes["signal"]
    return {
        "killed.exit-0": _silent(steps.get("exit-0")),
        "killed.exit-1": outcomes["exit-1"],
        "killed.exit-256": outcomes["exit-256"],
        "killed.signal": as_status.get(signal_outcome, signal_outcome) if signal_outcome else None,
        "killed.missing": outcomes["missing"],
    }


def _passed(step: Step | None) -> str | None:
    """Return `unnamed` if the error does not name the trigger.

    For example, message 8057 (Perforce C++ API msgs/msgserver.cc, "Unexpected return code from
    trigger!").
    """
    if step is None:
        return None
    if f"prove-{step.name}".encode() in step.text:
        return "refused"
    if not step.calls and step.name != "missing":
        return "no-trigger"
    return "unnamed" if step.has_failed else "allowed"


def _silent(step: Step | None) -> str | None:
    if step is None:
        return None
    if step.has_failed:
        return "refused"
    if not step.calls:
        return "no-trigger"
    return "chatter" if step.messages else "silent"
