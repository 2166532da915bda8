from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_call, of_steps
from p4warden.prove.experiments.login import STREAMS

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

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
            p4 = lab.connect(client=client)
            lab.save(step, p4, client, stream=stream)
            lab.step(f"{step}-stored", p4, "client", "-o", client)


def _seen(call: Call) -> str:
    return "with-view" if _VIEW.search(call.form or b"") else "without-view"


def _stored(path: str, kept: str, saved: Step, stored: Step) -> str | None:
    """`kept` if the stored View has the path; else `judged` if the trigger saw a View, too."""
    if stored.has_failed:
        return None
    if saved.has_failed:
        return "refused"
    if not _VIEW.search(stored.output):
        return "without-view"
    if path.encode() in stored.output:
        return kept
    is_judged = any(_seen(call) == "with-view" for call in saved.calls[:1])
    return "judged" if is_judged else "unjudged"


def _of_stream(saved: Step, stored: Step) -> str | None:
    value = _stored(f"{_STREAM}/...", "generated", saved, stored)
    return "other" if value in ("judged", "unjudged") else value


_classic = partial(_stored, _OLD_PATH, "kept")
VALUES = {
    "new": of_steps(_classic, "new", "new-stored"),
    "existing": of_steps(_classic, "existing", "existing-stored"),
    "stream-seen": of_call(_seen, "stream"),
    "stream-stored": of_steps(_of_stream, "stream", "stream-stored"),
}
