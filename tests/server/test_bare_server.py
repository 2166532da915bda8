"""Tests of p4warden on servers as bare as a new p4d, and on servers with an id and protections."""

import json

import pytest

from p4warden.server.table_form import installation
from support.policies import POLICY
from support.servers import ClientFactory, Server
from support.triggers import table, write
from support.warden import Warden, facts

EDGE = {"ServerID": "edge-1", "Type": "server", "Services": "edge-server", "Name": "edge-1"}


def others(warden: Warden) -> list[str]:
    checks = json.loads(warden.run("doctor", "--json").output)
    return [check["message"] for check in checks if check["name"] == "other servers"]


def test_refresh_writes_no_id_of_a_server_without_one(warden: Warden) -> None:
    warden.must("refresh")
    assert facts(warden)["server_id"] is None
    assert facts(warden)["depots"]["depot"]["type"] == "local"


@pytest.mark.touches("info-server-id", "security", "unicode")
@pytest.mark.state(server_id="set", protections="filled")
def test_refresh_writes_the_id_of_a_server_that_has_one(warden: Warden) -> None:
    warden.must("refresh")
    assert facts(warden)["server_id"] == "sandbox"


@pytest.mark.touches("info-server-id", "security")
@pytest.mark.state(server_id="set", info_server_id="serverID")
def test_either_spelling_of_the_ids_tag_is_read(warden: Warden) -> None:
    warden.must("refresh")
    assert facts(warden)["server_id"] == "sandbox"


@pytest.mark.touches("*")
def test_the_commands_of_the_first_day_succeed_on_a_bare_server(
    warden: Warden,
) -> None:
    warden.must("init", home=False)
    warden.prepare(POLICY)
    warden.must("census")
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply", "--no-verify")
    assert others(warden) == []


@pytest.mark.state(server_id="set")
def test_doctor_does_not_list_the_server_itself_among_the_others(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, server.super_user)
    own = {**EDGE, "ServerID": "sandbox", "Services": "commit-server", "Name": "sandbox"}
    for form in (own, EDGE):
        admin.save_server(form)

    assert others(warden) == ["edge-1 (edge-server) runs the same triggers table: not named yet"]


@pytest.mark.state(server_id="set")
@pytest.mark.parametrize(
    ("settings", "is_passed"),
    [
        ([], False),
        (["any#triggers.io=1"], True),
        (["sandbox#triggers.io=1"], True),
        (["sandbox#triggers.io=0", "any#triggers.io=1"], False),
        (["sandbox#triggers.io=1", "any#triggers.io=0"], True),
        (["edge#triggers.io=1"], False),
    ],
)
def test_of_several_values_of_triggers_io_the_first_counts(
    server: Server, connect: ClientFactory, settings: list[str], *, is_passed: bool
) -> None:
    admin = connect(server, server.super_user)
    for setting in settings:
        admin.run("configure", "set", setting)
    assert installation(admin, "/home").triggers_io is is_passed


@pytest.mark.touches("spec-depot-file")
@pytest.mark.parametrize("suffix", [".p4s", ""])
def test_the_spec_depots_newest_file_of_the_table_is_named(
    server: Server, warden: Warden, connect: ClientFactory, suffix: str
) -> None:
    admin = connect(server, server.super_user)
    depot = {"Depot": "spec", "Type": "spec", "Map": "spec/...", "Suffix": suffix or ".txt"}
    admin.save_depot(depot)
    write(admin, "Triggers:\n\tother form-save label pass\n")
    (stored,) = [row["depotFile"] for row in admin.run("files", "//spec/triggers...")]
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)

    assert f" and {stored}#1\n" in warden.must("deploy", "apply", "--no-verify")
    assert "other form-save label pass" in table(admin)
