from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import OTHER, SUPER, USER
from p4warden.prove.experiments.fact_values import of_output, of_steps
from p4warden.prove.second_server import make_user, protections, user_form

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

STREAMS = "prove-streams"
PROTECTIONS_EMPTY = 6600
"""Perforce C++ API msgs/msgdm.cc, ProtectsEmpty."""


def run(lab: Lab) -> None:
    """Record logins; create the users, stream depot and files that other experiments need."""
    _become_super_user(lab)
    for user in (USER, OTHER):
        with lab.part():
            make_user(lab, user)
    lab.step("with-ticket", lab.connect(USER), "depots")
    lab.step("without-ticket", lab.connect(OTHER), "depots")
    lab.step("info", lab.connect(OTHER), "info")
    with lab.part():
        _make_files(lab)
    with lab.part():
        _make_streams(lab)


def _become_super_user(lab: Lab) -> None:
    """Setting the first password is the only action that a new server of 2026.1 allows.

    (P4Python's own test of 2026.1, p4test.py, _bootstrapSuperUser.)
    """
    p4, password = lab.connect(SUPER), lab.place.passwords[SUPER]
    lab.step("first-command", p4, "depots")
    # Servers before 2026.1 set passwords only for existing users; a server of 2026.1 refuses this.
    lab.step("first-user", p4, "user", "-i", "-f", command_input=user_form(SUPER))
    lab.step("first-password", p4, "password", command_input=[password, password])
    lab.step("first-login", p4, "login", command_input=password)
    lab.step("empty-protections", p4, "protects", "-m")
    lab.step("empty-super", p4, "triggers", "-o")
    lab.step("protect", p4, "protect", "-i", command_input=protections())
    lab.step("super-user", lab.connect(SUPER), "protects", "-m")
    lab.step("configurables", p4, "configure", "show")


def _make_files(lab: Lab) -> None:
    lab.save_client("prove-ws", "//depot/... //prove-ws/...")
    lab.submit("prove-ws", "prove/a/one.txt", "prove/a/two.txt", "prove/b/three.txt")


def _make_streams(lab: Lab) -> None:
    depot = f"Depot:\t{STREAMS}\nOwner:\t{SUPER}\nType:\tstream\nMap:\t{STREAMS}/...\n"
    lab.must("depot", "-i", command_input=f"{depot}StreamDepth:\t//{STREAMS}/1\n")
    main, dev = f"//{STREAMS}/main", f"//{STREAMS}/dev"
    lab.must("stream", "-i", command_input=lab.stream(main, Type="mainline", Parent="none"))
    lab.must("stream", "-i", command_input=lab.stream(dev, Type="development", Parent=main))


def _first_password(first: Step, later: Step) -> str:
    if later.has_failed:
        return "closed"
    return "password-first" if first.has_failed else "open"


def _served(step: Step) -> str:
    return "refused" if step.has_failed else "served"


def _protections(step: Step) -> str:
    if any(message.number == PROTECTIONS_EMPTY for message in step.messages):
        return f"error-{PROTECTIONS_EMPTY}"
    if step.has_failed:
        return "other-error"
    return "super" if b"super" in step.output else "less"


VALUES = {
    "first-password": of_steps(_first_password, "first-command", "super-user"),
    "empty-protections": of_steps(_protections, "empty-protections"),
    "empty-super": of_steps(_served, "empty-super"),
    "ticket": of_steps(_served, "with-ticket"),
    "no-ticket": of_steps(_served, "without-ticket"),
    "info": of_output(b"serverVersion: ", "info", "shown", "hidden", "refused"),
}
