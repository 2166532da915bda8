"""Experiment: odd names that a server accepts, and triggers that run before a login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiments.reached import reached
from p4warden.prove.place import OTHER, USER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

NAMES = {"quote": 'prove"q', "tab": "prove\tq", "blank": "prove q"}
KINDS = ("user", "client", "program")
_LINE = ("--user=%user%", "--client=%client%", "--program=%clientprog%", "--end=1")
_CLIENT = "prove-ws"
_PROGRAM = "prove"


def run(lab: Lab) -> None:
    """Run `depots` with each odd client, program and user name, and as a user not logged in."""
    lab.install(lab.line("prove-names", "command", "pre-user-depots$", *_LINE))
    for char, name in NAMES.items():
        lab.step(f"client-{char}", lab.connect(client=name), "depots")
        lab.step(f"program-{char}", lab.connect(prog=name), "depots")
        lab.step(f"user-{char}", lab.connect(user=name), "depots")
        # Without a licence there is room for five users. P4Python itself writes `_` for a blank.
        made = name.replace(" ", "_")
        lab.step(f"user-{char}-deleted", lab.admin, "user", "-d", "-f", made)
    lab.step("no-ticket", lab.connect(OTHER), "depots")


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Return the value of each fact, derived from the recorded steps."""
    values = {
        f"names.{kind}-{char}": _acceptance(steps.get(f"{kind}-{char}"), kind, name)
        for kind in KINDS
        for char, name in NAMES.items()
    }
    return {**values, "names.authentication": _authentication(steps.get("no-ticket"))}


def _acceptance(step: Step | None, kind: str, name: str) -> str | None:
    """Return whether the server accepted a name unchanged.

    A broken trigger line shows that it did.
    """
    if step is None:
        return None
    sent = {"user": USER, "client": _CLIENT, "program": _PROGRAM, "end": "1", kind: name}
    how = reached(step, tuple(sent.items()), trusted=set(sent) - {kind})
    return {"kept": "accepted", "broken": "accepted"}.get(how, how)


def _authentication(step: Step | None) -> str | None:
    if step is None:
        return None
    if not step.failed:
        return "served"
    return "after-triggers" if step.calls else "before-triggers"
