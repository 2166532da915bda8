"""Tests of saving the forms of known programs on a server with the shipped default policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

from p4warden.programs.known_programs import exemption_entries, known_programs
from support.program_policies import FOLDER

if TYPE_CHECKING:
    from p4warden.programs.known_programs import Program
    from support.servers import ClientFactory, Server
    from support.warden import Warden

pytestmark = pytest.mark.touches("form-save-text", "form-fields", "groups", "saves")
POLICY = (FOLDER / "default.yaml").read_text("utf-8")
SWARM, JENKINS = (
    next(program for program in known_programs() if program.key == key)
    for key in ("swarm", "jenkins")
)


def with_exemptions_for(program: Program) -> str:
    entries = exemption_entries(program, program.answers["default"])
    lines = "".join(f"  - {entry}\n" for entry in entries)
    return POLICY.replace("exemptions:\n", f"exemptions:\n{lines}")


def send(p4: P4, form: str) -> str:
    """Save a client's form with the view lines of the depots that the server has."""
    depots = {row["name"] for row in p4.run("depots")}
    lines = [
        line
        for line in form.splitlines()
        if not line.startswith("\t") or line.strip().strip('"').split("/")[2] in depots
    ]
    p4.input = "\n".join(lines) + "\n"
    [answer] = p4.run("client", "-i")
    return str(answer)


def test_the_copied_exemption_lets_swarms_group_save_pool_clients_and_nobody_else(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    [pool, *_] = [request for request in SWARM.requests if request.kind == "forms"]
    form, name = pool.event["form"].replace("Owner:\tswarm\n", ""), pool.event["name"]
    connect(server, server.super_user).save_group({"Group": "swarm-users", "Users": ["ann"]})
    warden.install(POLICY)
    with pytest.raises(P4Exception, match="no-whole-depot"):
        send(connect(server), form)

    warden.activate(with_exemptions_for(SWARM))
    assert send(connect(server), form) == f"Client {name} saved."
    with pytest.raises(P4Exception, match="no-whole-depot"):
        send(connect(server), form.replace(name, "ann-ws"))
    with pytest.raises(P4Exception, match="no-whole-depot"):
        send(connect(server, user="bob"), form.replace(name, "swarm-2"))


def test_the_copied_exemption_lets_jenkins_save_new_clients_whatever_view_the_server_gives_them(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    sent, filled_in, *_ = [request for request in JENKINS.requests if request.kind == "forms"]
    # Whether p4d wants the Root that Jenkins leaves out is not known; the sandbox does.
    forms = [r.event["form"].replace("Owner:\tjenkins", "Root:\t/r") for r in (filled_in, sent)]
    connect(server, server.super_user).save_group({"Group": "jenkins", "Users": ["ann"]})
    warden.install(POLICY)
    with pytest.raises(P4Exception, match="no-whole-depot"):
        send(connect(server), forms[0])
    warden.activate(with_exemptions_for(JENKINS))
    for form in forms:
        assert "jenkins-agent1-app" in send(connect(server), form)
