from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import USER
from p4warden.prove.second_server import second_server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_CLIENT = "prove-case"
_LINE = ("--user=%user%", "--client=%client%")


def run(lab: Lab) -> None:
    """Use names and paths in capital letters on a p4d with `-C1`."""
    with second_server(lab, "case", "-C1") as other:
        other.step("info", other.connect(), "info")
        other.save_client(_CLIENT, f"//depot/prove/... //{_CLIENT}/...")
        other.install(
            other.line("prove-case", "command", "pre-user-depots$", *_LINE),
            other.line("prove-form", "form-save", "client", "--name=%formname%"),
            other.line("prove-path", "change-submit", "//DEPOT/Prove/..."),
        )
        with lab.part():
            p4 = other.connect(user=USER.upper(), client=_CLIENT.upper())
            other.step("names", p4, "depots")
        with lab.part():
            p4 = other.connect(client=_CLIENT)
            other.must("add", other.write(_CLIENT, "one.txt"), p4=p4)
            other.step("submit", p4, "submit", "-d", "prove")
        with lab.part():
            view = f"//DEPOT/Prove/... //{_CLIENT.upper()}/..."
            form = other.client_form(_CLIENT.upper(), view)
            other.step("form", other.connect(), "client", "-i", command_input=form)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive how a p4d that ignores case passes names to triggers."""
    return {
        "case.info": _info(steps.get("info")),
        "case.user": _spelling(steps.get("names"), "user", USER),
        "case.client": _spelling(steps.get("names"), "client", _CLIENT),
        "case.form": _spelling(steps.get("form"), "name", _CLIENT),
        "case.path": _path(steps.get("submit")),
    }


def _info(step: Step | None) -> str | None:
    if step is None or step.has_failed:
        return None
    return "insensitive" if b"caseHandling: insensitive" in b"\n".join(step.rows) else "unsaid"


def _spelling(step: Step | None, option: str, stored: str) -> str | None:
    if step is None:
        return None
    if not step.calls:
        return "refused" if step.has_failed else "no-trigger"
    spellings = {stored.upper().encode(): "typed", stored.encode(): "stored"}
    return spellings.get(step.calls[0].value(option) or b"", "other")


def _path(step: Step | None) -> str | None:
    if step is None or (step.has_failed and not step.calls):
        return None
    return {0: "silent", 1: "fires"}.get(len(step.calls), "twice")
