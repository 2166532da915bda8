from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from P4 import P4

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL, _PROGRAM = "prove-terminate", "prove-victim"
_WAIT_S, _PAUSE_S = 10, 0.05
YOUNG_S, TRIGGER_S = 12, 25
"""More than the ten seconds for which p4d leaves a command alone, and more than both together."""


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


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive the answers to `p4 monitor terminate`, and the end of its victim."""
    end = steps.get("ends")
    ended = end and any(b"terminated by 'p4 monitor terminate'" in row for row in end.rows)
    return {
        "terminate.young": _answer(steps.get("young")),
        "terminate.marks": _answer(steps.get("marks")),
        "terminate.ends": None if end is None else "ended" if ended else "ran-on",
    }


def _number(lab: Lab) -> str | None:
    end_s = time.monotonic() + _WAIT_S
    while time.monotonic() < end_s:
        rows = [row for row in _shown(lab.admin) if isinstance(row, dict)]
        for row in rows:
            if row.get("command") == "depots" and _PROGRAM in str(row.get("prog")):
                return str(row["id"])
        time.sleep(_PAUSE_S)
    return None


def _shown(p4: P4) -> list[object]:
    rows: list[object] = p4.run("monitor", "show", "-ael")
    return rows


def _answer(step: Step | None) -> str | None:
    if step is None:
        return None
    if step.has_failed:
        return "refused"
    if b"can't terminate, runtime <" in step.text:
        return "left"
    return "marked" if b"marked for termination" in step.text else "other"
