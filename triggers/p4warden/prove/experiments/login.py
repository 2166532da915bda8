"""Experiment: the first login on a new p4d, tickets, and `p4 info` without a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import OTHER, SUPER, USER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

STREAMS = "prove-streams"


def run(lab: Lab) -> None:
    """Record logins; create the users, stream depot and files that other experiments need."""
    _become_super_user(lab)
    for user in (USER, OTHER):
        _make_user(lab, user)
    lab.step("with-ticket", lab.connect(USER), "depots")
    lab.step("without-ticket", lab.connect(OTHER), "depots")
    lab.step("info", lab.connect(OTHER), "info")
    _make_depots(lab)


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive from the recorded steps the experiment's facts about p4d's logins and tickets."""
    return {
        "login.first-password": _first_password(steps),
        "login.ticket": _served(steps.get("with-ticket")),
        "login.no-ticket": _served(steps.get("without-ticket")),
        "login.info": _info(steps.get("info")),
    }


def _first_password(steps: Mapping[str, Step]) -> str | None:
    first, later = steps.get("first-command"), steps.get("super-user")
    if first is None or later is None:
        return None
    if later.has_failed:
        return "closed"
    return "password-first" if first.has_failed else "open"


def _served(step: Step | None) -> str | None:
    if step is None:
        return None
    return "refused" if step.has_failed else "served"


def _info(step: Step | None) -> str | None:
    if step is None:
        return None
    if step.has_failed:
        return "refused"
    return "shown" if b"serverVersion: " in b"\n".join(step.rows) else "hidden"


def _become_super_user(lab: Lab) -> None:
    """Make the first user of the experiments' new p4d a super user with password and ticket.

    Setting the first password is the only action that a new server of 2026.1 allows (P4Python's
    own test of 2026.1, p4test.py, _bootstrapSuperUser).
    """
    p4, password = lab.connect(SUPER), lab.place.passwords[SUPER]
    lab.step("first-command", p4, "depots")
    # Servers before 2026.1 set passwords only for existing users, so the user is created first; a
    # server of 2026.1 refuses this command.
    lab.step("first-user", p4, "user", "-i", "-f", command_input=_user_form(SUPER))
    lab.step("first-password", p4, "password", command_input=[password, password])
    lab.step("first-login", p4, "login", command_input=password)
    lab.step("protect", p4, "protect", "-i", command_input=_protections())
    lab.step("super-user", lab.connect(SUPER), "protects", "-m")
    lab.step("configurables", p4, "configure", "show")


def _protections() -> str:
    return f"Protections:\n\twrite user * * //...\n\tsuper user {SUPER} * //...\n"


def _user_form(user: str) -> str:
    return f"User:\t{user}\nEmail:\t{user}@example.com\nFullName:\t{user}\n"


def _make_user(lab: Lab, user: str) -> None:
    """Create a user with a password on the experiments' p4d; unless it is `OTHER`, log it in."""
    password = lab.place.passwords[user]
    lab.must("user", "-i", "-f", command_input=_user_form(user))
    lab.must("passwd", user, command_input=[password, password])
    lab.must("user", "-i", "-f", command_input=_user_form(user))
    if user != OTHER:
        lab.must("login", command_input=password, p4=lab.connect(user))


def _make_depots(lab: Lab) -> None:
    """Create a stream depot with two streams, and some files in the server's first depot."""
    depot = f"Depot:\t{STREAMS}\nOwner:\t{SUPER}\nType:\tstream\nMap:\t{STREAMS}/...\n"
    lab.must("depot", "-i", command_input=f"{depot}StreamDepth:\t//{STREAMS}/1\n")
    main, dev = f"//{STREAMS}/main", f"//{STREAMS}/dev"
    lab.must("stream", "-i", command_input=lab.stream(main, Type="mainline", Parent="none"))
    lab.must("stream", "-i", command_input=lab.stream(dev, Type="development", Parent=main))
    lab.save_client("prove-ws", "//depot/... //prove-ws/...")
    lab.submit("prove-ws", "prove/a/one.txt", "prove/a/two.txt", "prove/b/three.txt")
