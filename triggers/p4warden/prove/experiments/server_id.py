from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.prove.administration import administer, outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

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


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive the answers of a server without an id, and with one."""
    return {
        "server_id.none": _answer(steps.get("none")),
        "server_id.none-info": _in_info(steps.get("none-info")),
        "server_id.none-variable": _variable(steps.get("none-depots")),
        "server_id.named": _given(steps.get("named"), steps.get("named-info")),
        "server_id.named-variable": _variable(steps.get("named-depots")),
        "server_id.refresh": outcome(steps.get("refresh")),
    }


def _ask(lab: Lab, name: str) -> Step:
    answer = lab.step(name, lab.admin, "serverid")
    lab.step(f"{name}-info", lab.admin, "info")
    lab.step(f"{name}-depots", lab.connect(), "depots")
    return answer


def _answer(step: Step | None) -> str | None:
    if step is None:
        return None
    if step.has_failed:
        is_known = any(message.number == NO_SERVER_ID for message in step.messages)
        return f"error-{NO_SERVER_ID}" if is_known else "other-error"
    return "named" if step.rows else "nothing"


def _in_info(step: Step | None) -> str | None:
    if step is None:
        return None
    if step.has_failed:
        return "refused"
    return "named" if _IN_INFO.search(b"\n".join(step.rows)) else "absent"


def _variable(step: Step | None) -> str | None:
    if step is None:
        return None
    if not step.calls:
        return "no-trigger"
    value = step.calls[0].value("server")
    return {b"": "empty", b"%serverid%": "left", None: "lost"}.get(value, "named")


def _given(answer: Step | None, info: Step | None) -> str | None:
    if answer is None or info is None:
        return None
    match = _IN_INFO.search(b"\n".join(info.rows))
    words = b" ".join(answer.rows).split()
    if answer.has_failed or not words:
        return "by-one" if match else "unnamed"
    return "named" if match and match[1] == words[-1] else "by-one"
