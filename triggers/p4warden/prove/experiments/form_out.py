from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL, _FROM, _TO = "prove-out", "//depot/...", "//depot/prove/out/..."
KINDS = ("untagged", "tagged", "template")


def run(lab: Lab) -> None:
    """Show the forms of new clients in three ways, while a trigger rewrites their views."""
    lab.install(lab.line(_LABEL, "form-out", "client", "--form=%formfile%"))
    lab.answer(_LABEL, rewrite=[_FROM, _TO])
    for kind in KINDS:
        with lab.part():
            p4 = lab.connect()
            p4.tagged = kind != "untagged"
            template = ("-t", "prove-ws") if kind == "template" else ()
            lab.step(kind, p4, "client", *template, "-o", f"prove-out-{kind}")


def _shown(step: Step) -> str:
    """`silent` if no trigger ran; `original` if one did, but the user got the form as before."""
    if step.has_failed:
        return "refused"
    if not step.calls:
        return "silent"
    return "rewritten" if _TO.encode() in step.output else "original"


VALUES = {kind: of_steps(_shown, kind) for kind in KINDS}
