from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import OTHER, USER
from p4warden.prove.experiments.fact_values import of_steps
from p4warden.prove.experiments.option_delivery import option_delivery

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

NAMES = {"quote": 'prove"q', "tab": "prove\tq", "blank": "prove q"}
KINDS = ("user", "client", "program")
_LINE = ("--user=%user%", "--client=%client%", "--program=%clientprog%", "--end=1")
_CLIENT = "prove-ws"
_PROGRAM = "prove"


def run(lab: Lab) -> None:
    """Run a command with each odd client, program and user name, and as a user not logged in."""
    lab.install(lab.line("prove-names", "command", "pre-user-depots$", *_LINE))
    for char, name in NAMES.items():
        lab.ask(f"client-{char}", "depots", client=name)
        lab.ask(f"program-{char}", "depots", prog=name)
        lab.ask(f"user-{char}", "depots", user=name)
        # A p4d without licence has room for five users. P4Python writes `_` for a blank in a name.
        user = name.replace(" ", "_")
        lab.step(f"user-{char}-deleted", lab.admin, "user", "-d", "-f", user)
    lab.step("no-ticket", lab.connect(OTHER), "depots")


def _acceptance(kind: str, name: str, step: Step) -> str:
    """A name is accepted also if it broke the words of the trigger line apart."""
    values = {"user": USER, "client": _CLIENT, "program": _PROGRAM, "end": "1", kind: name}
    outcome = option_delivery(step, values, trusted_names=set(values) - {kind})
    return {"kept": "accepted", "broken": "accepted"}.get(outcome, outcome)


def _authentication(step: Step) -> str:
    if not step.has_failed:
        return "served"
    return "after-triggers" if step.calls else "before-triggers"


VALUES = {
    **{
        f"{kind}-{char}": of_steps(partial(_acceptance, kind, name), f"{kind}-{char}")
        for kind in KINDS
        for char, name in NAMES.items()
    },
    "authentication": of_steps(_authentication, "no-ticket"),
}
