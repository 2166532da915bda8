from __future__ import annotations

import json
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_BEFORE, _AFTER = "prove-before", "prove-after"


def run(lab: Lab) -> None:
    """Run commands with a trigger before and after each, which tell which process started them."""
    for label in (_BEFORE, _AFTER):
        lab.answer(label, describe=label)
    lab.install(
        lab.line(_BEFORE, "command", "pre-user-(depots|client)$"),
        lab.line(_AFTER, "command", "post-user-(depots|client)$"),
    )
    lab.step("ended", lab.connect(), "depots")
    first = _parent(lab, _BEFORE)
    with lab.part():
        lab.note("process", b"same" if _parent(lab, _AFTER) == first else b"other")
    with lab.part():
        lab.must("depots", p4=lab.connect())
        lab.note("connections", b"server" if _parent(lab, _BEFORE) == first else b"connection")
    lab.ask("after-failure", "client", "-d", "prove-none")
    lab.answer(_AFTER, code=1)
    lab.ask("failing", "depots")


def _parent(lab: Lab, label: str) -> int:
    return int(json.loads((lab.place.calls / label).read_text("ascii"))["parent"])


def _ran(step: Step) -> str:
    labels = {call.label for call in step.calls}
    if _BEFORE not in labels:
        return "no-trigger"
    return "runs" if _AFTER in labels else "none"


def _failing(step: Step) -> str:
    if _ran(step) != "runs":
        return "no-trigger"
    return "failed" if step.has_failed else "succeeded"


def _word(step: Step) -> str:
    return step.rows[0].decode("ascii")


VALUES = {
    "ended": of_steps(_ran, "ended"),
    "process": of_steps(_word, "process"),
    "connections": of_steps(_word, "connections"),
    "after-failure": of_steps(_ran, "after-failure"),
    "failing": of_steps(_failing, "failing"),
}
