from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_output, of_steps
from p4warden.prove.processes import tries

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL, _PROGRAM = "prove-terminate", "prove-victim"
_WAIT_S = 10
YOUNG_S, TRIGGER_S = 12, 25
"""More than the ten seconds for which p4d spares a command; more than `_WAIT_S + YOUNG_S`."""


def run(lab: Lab) -> None:
    """Ask twice for the end of a command that waits for its trigger, and let the trigger end."""
    lab.must("configure", "set", "monitor=1")
    lab.admin.disconnect()
    lab.answer(_LABEL, wait_for="terminate.go", wait_s=TRIGGER_S)
    lab.install(lab.line(_LABEL, "command", "pre-user-depots$"))
    lab.forget_calls()
    p4 = lab.connect(prog=_PROGRAM)
    thread = threading.Thread(target=p4.run, args=("depots",), daemon=True)
    thread.start()
    number = _number(lab)
    if number is not None:
        lab.step("young", lab.admin, "monitor", "terminate", number)
        time.sleep(YOUNG_S)
        lab.step("marks", lab.admin, "monitor", "terminate", number)
    (lab.place.calls / "terminate.go").touch()
    thread.join()
    if number is not None:
        lab.note("ends", *(str(error).encode() for error in p4.errors))


def _number(lab: Lab) -> str | None:
    for _ in tries(_WAIT_S):
        for row in lab.admin.run("monitor", "show", "-ael"):
            is_row = isinstance(row, dict) and row.get("command") == "depots"
            if is_row and _PROGRAM in str(row.get("prog")):
                return str(row["id"])
    return None


def _answer(step: Step) -> str:
    if step.has_failed:
        return "refused"
    if b"can't terminate, runtime <" in step.text:
        return "left"
    return "marked" if b"marked for termination" in step.text else "other"


VALUES = {
    "young": of_steps(_answer, "young"),
    "marks": of_steps(_answer, "marks"),
    "ends": of_output(b"terminated by 'p4 monitor terminate'", "ends", "ended", "ran-on"),
}
