from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
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


def _passed(step: Step) -> str:
    """Return `unnamed` if the error does not name the trigger.

    For example, message 8057 (Perforce C++ API msgs/msgserver.cc, "Unexpected return code from
    trigger!").
    """
    if f"prove-{step.name}".encode() in step.text:
        return "refused"
    if not step.calls and step.name != "missing":
        return "no-trigger"
    return "unnamed" if step.has_failed else "allowed"


def _silent(step: Step) -> str:
    if step.has_failed:
        return "refused"
    if not step.calls:
        return "no-trigger"
    return "chatter" if step.messages else "silent"


def _as_status(step: Step) -> str:
    outcome = _passed(step)
    return {"allowed": "success", "refused": "failure"}.get(outcome, outcome)


VALUES = {
    "exit-0": of_steps(_silent, "exit-0"),
    "exit-1": of_steps(_passed, "exit-1"),
    "exit-256": of_steps(_passed, "exit-256"),
    "signal": of_steps(_as_status, "signal"),
    "missing": of_steps(_passed, "missing"),
}
