from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive whether users got the rewritten forms."""
    return {f"form_out.{kind}": _shown(steps.get(kind)) for kind in KINDS}


def _shown(step: Step | None) -> str | None:
    """`silent` if no trigger ran; `original` if one did, but the user got the form as before."""
    if step is None:
        return None
    if step.has_failed:
        return "refused"
    if not step.calls:
        return "silent"
    return "rewritten" if _TO.encode() in b"\n".join(step.rows) else "original"
