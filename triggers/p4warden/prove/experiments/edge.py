# The steps are those of the P4 Server Administration Guide, "Commit-edge architecture".

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER, USER
from p4warden.prove.experiments.fact_values import of_steps
from p4warden.prove.experiments.server_id import SERVER_ID
from p4warden.prove.processes import tries
from p4warden.prove.second_server import (
    PATIENCE,
    UnsupportedError,
    protections,
    run_p4d,
    user_form,
)
from p4warden.prove.server import free_port, listening

if TYPE_CHECKING:
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

EDGE, SERVICE = "prove-edge", "prove-service"
STEPS = ("table", "form", "command")
_CLIENT = "prove-at-edge"
_LABELS = ("prove-edge-form", "prove-edge-command")
_MOST_S = 10


def run(lab: Lab) -> None:
    """Save a client and run a command at an edge server of the experiments' p4d."""
    site = lab.place
    place = site._replace(folder=site.folder / "edge", port=free_port())
    checkpoint = str(site.folder / "edge-seed")
    try:
        run_p4d(site, "-jd", checkpoint)
    except UnsupportedError as error:
        lab.not_asked(str(error), *STEPS)
        return
    place.make_folders()
    _describe(lab)
    run_p4d(site, "-jd", checkpoint)
    run_p4d(place, "-jr", checkpoint)
    run_p4d(place, "-xD", EDGE)
    edge = lab.at(place)
    _log_in(edge, SERVICE, site.port)
    with listening(place, PATIENCE, has_own_session=False):
        for user in (SUPER, USER):
            _log_in(edge, user)
        _use(lab, edge)


def _describe(lab: Lab) -> None:
    for name, services in ((_commit_id(lab), "commit-server"), (EDGE, "edge-server")):
        kind = f"Type:\tserver\nServices:\t{services}\nDescription:\n\tprove\n"
        lab.must("server", "-i", command_input=f"ServerID:\t{name}\n{kind}")
    lab.must("user", "-i", "-f", command_input=f"{user_form(SERVICE)}Type:\tservice\n")
    lab.must("passwd", SERVICE, command_input=[lab.place.passwords[SUPER]] * 2)
    table = f"{protections()}\tsuper user {SERVICE} * //...\n"
    lab.must("protect", "-i", command_input=table)
    for setting in (
        f"P4TARGET={lab.place.port}",
        "db.replication=readonly",
        "lbr.replication=readonly",
        f"serviceUser={SERVICE}",
        "startup.1=pull -i 1",
        "startup.2=pull -u -i 1",
    ):
        lab.must("configure", "set", f"{EDGE}#{setting}")
    lab.install(
        lab.line(_LABELS[0], "form-save", "client", "--server=%serverid%"),
        lab.line(_LABELS[1], "command", "pre-user-depots$", "--server=%serverid%"),
    )


def _commit_id(lab: Lab) -> str:
    """The p4d gets an id if it has none."""
    info = lab.must("info")[0]
    server_id = str(info.get("ServerID") or info.get("serverID") or "")
    if not server_id:
        lab.must("serverid", SERVER_ID)
    return server_id or SERVER_ID


def _log_in(lab: Lab, user: str, port: str = "") -> None:
    password = lab.place.passwords.get(user, lab.place.passwords[SUPER])
    lab.must("login", command_input=password, p4=lab.connect(user, port=port))


def _use(lab: Lab, edge: Lab) -> None:
    """The triggers record their calls in the commit server's folder, which the lines name."""
    for _ in tries(_MOST_S, 0.2):
        if all(label in str(edge.must("triggers", "-o")) for label in _LABELS):
            break
    lab.step("table", edge.admin, "triggers", "-o")
    with lab.part():
        form = edge.client_form(_CLIENT, f"//depot/prove/a/... //{_CLIENT}/...")
        lab.step("form", edge.connect(), "client", "-i", command_input=form)
    with lab.part():
        lab.step("command", edge.connect(), "depots")


def _table(step: Step) -> str:
    has_lines = all(label.encode() in step.output for label in _LABELS)
    return "replicated" if has_lines else "missing"


def _server(step: Step) -> str | None:
    if step.has_failed and not step.calls:
        return None
    servers = {call.value("server") or b"" for call in step.calls}
    if len(servers) > 1:
        return "both"
    names = {EDGE.encode(): "edge", b"": "unnamed"}
    return names.get(servers.pop(), "commit") if servers else "silent"


VALUES = {
    "table": of_steps(_table, "table"),
    "form": of_steps(_server, "form"),
    "command": of_steps(_server, "command"),
}
