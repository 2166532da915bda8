from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.prove.experiments.login import STREAMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_NEW, _EXISTING, _OF_STREAM = "prove-view-new", "prove-view-old", "prove-view-stream"
_OLD_PATH, _STREAM = "//depot/prove/a/...", f"//{STREAMS}/main"
_VIEW = re.compile(rb"(?m)^View\d*:[ \t]*(\n\t)?[^\n]*//")


def run(lab: Lab) -> None:
    """Save a new client, an existing one and a stream's client without a View; read them back."""
    lab.save_client(_EXISTING, f"{_OLD_PATH} //{_EXISTING}/...")
    lab.install(lab.line("prove-view", "form-save", "client", "--form=%formfile%"))
    for step, client, stream in (
        ("new", _NEW, ""),
        ("existing", _EXISTING, ""),
        ("stream", _OF_STREAM, _STREAM),
    ):
        with lab.part():
            form = lab.client_form(client, stream=stream)
            p4 = lab.connect(client=client)
            lab.step(step, p4, "client", "-i", command_input=form)
            lab.step(f"{step}-stored", p4, "client", "-o", client)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive what became of the missing View."""
    seen, stored = steps.get("stream"), steps.get("stream-stored")
    return {
        "views.new": _classic(steps.get("new"), steps.get("new-stored")),
        "views.existing": _classic(steps.get("existing"), steps.get("existing-stored")),
        "views.stream-seen": _seen(seen),
        "views.stream-stored": _of_stream(seen, stored),
    }


def _classic(saved: Step | None, stored: Step | None) -> str | None:
    """`judged`: stored with a View that its trigger saw, too; `kept`: with its own old one."""
    if saved is None or stored is None or stored.has_failed:
        return None
    if saved.has_failed:
        return "refused"
    content = b"\n".join(stored.rows)
    if not _VIEW.search(content):
        return "without-view"
    if _OLD_PATH.encode() in content:
        return "kept"
    return "judged" if _seen(saved) == "with-view" else "unjudged"


def _seen(step: Step | None) -> str | None:
    if step is None or (step.has_failed and not step.calls):
        return None
    if not step.calls:
        return "silent"
    return "with-view" if _VIEW.search(step.calls[0].form or b"") else "without-view"


def _of_stream(saved: Step | None, stored: Step | None) -> str | None:
    if saved is None or stored is None or stored.has_failed:
        return None
    if saved.has_failed:
        return "refused"
    content = b"\n".join(stored.rows)
    if not _VIEW.search(content):
        return "without-view"
    return "generated" if f"{_STREAM}/...".encode() in content else "other"
