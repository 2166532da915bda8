from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import USER
from p4warden.prove.experiments.fact_values import of_call, of_output, of_steps
from p4warden.prove.second_server import second_server

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

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
        other.ask("names", "depots", user=USER.upper(), client=_CLIENT.upper())
        with lab.part():
            p4 = other.connect(client=_CLIENT)
            other.must("add", other.write(_CLIENT, "one.txt"), p4=p4)
            other.step("submit", p4, "submit", "-d", "prove")
        with lab.part():
            view = f"//DEPOT/Prove/... //{_CLIENT.upper()}/..."
            other.save("form", other.connect(), _CLIENT.upper(), view)


def _spelling(option: str, stored: str, call: Call) -> str:
    spellings = {stored.upper().encode(): "typed", stored.encode(): "stored"}
    return spellings.get(call.value(option) or b"", "other")


def _path(step: Step) -> str | None:
    if step.has_failed and not step.calls:
        return None
    return {0: "silent", 1: "fires"}.get(len(step.calls), "twice")


_IF_SILENT = ("no-trigger", "refused")
VALUES = {
    "info": of_output(b"caseHandling: insensitive", "info", "insensitive", "unsaid"),
    "user": of_call(partial(_spelling, "user", USER), "names", *_IF_SILENT),
    "client": of_call(partial(_spelling, "client", _CLIENT), "names", *_IF_SILENT),
    "form": of_call(partial(_spelling, "name", _CLIENT), "form", *_IF_SILENT),
    "path": of_steps(_path, "submit"),
}
