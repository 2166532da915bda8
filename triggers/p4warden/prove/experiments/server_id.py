from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.prove.administration import administer, outcome
from p4warden.prove.experiments.fact_values import of_call, of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

SERVER_ID = "prove-commit"
_IN_INFO = re.compile(rb"(?im)^serverID: (\S+)")
NO_SERVER_ID = 7737
"""Perforce C++ API msgs/msgserver.cc, NoServerID."""


def run(lab: Lab) -> None:
    """Ask a new server for its id, give it one, and ask again."""
    lab.install(lab.line("prove-id", "command", "pre-user-depots$", "--server=%serverid%"))
    answer = _ask(lab, "none")
    if answer.has_failed or not answer.rows:
        lab.step("give", lab.admin, "serverid", SERVER_ID)
        lab.admin.disconnect()
    _ask(lab, "named")
    administer(lab, "refresh", "refresh")


def _ask(lab: Lab, name: str) -> Step:
    answer = lab.step(name, lab.admin, "serverid")
    lab.step(f"{name}-info", lab.admin, "info")
    lab.step(f"{name}-depots", lab.connect(), "depots")
    return answer


def _answer(step: Step) -> str:
    if step.has_failed:
        is_known = any(message.number == NO_SERVER_ID for message in step.messages)
        return f"error-{NO_SERVER_ID}" if is_known else "other-error"
    return "named" if step.rows else "nothing"


def _in_info(step: Step) -> str:
    if step.has_failed:
        return "refused"
    return "named" if _IN_INFO.search(step.output) else "absent"


def _variable(call: Call) -> str:
    return {b"": "empty", b"%serverid%": "left", None: "lost"}.get(call.value("server"), "named")


def _given(answer: Step, info: Step) -> str:
    match = _IN_INFO.search(info.output)
    words = b" ".join(answer.rows).split()
    if answer.has_failed or not words:
        return "by-one" if match else "unnamed"
    return "named" if match and match[1] == words[-1] else "by-one"


_IF_SILENT = ("no-trigger", "no-trigger")
VALUES = {
    "none": of_steps(_answer, "none"),
    "none-info": of_steps(_in_info, "none-info"),
    "none-variable": of_call(_variable, "none-depots", *_IF_SILENT),
    "named": of_steps(_given, "named", "named-info"),
    "named-variable": of_call(_variable, "named-depots", *_IF_SILENT),
    "refresh": of_steps(outcome, "refresh"),
}
