"""Tests of p4warden from installation to uninstallation, run under the sandbox's variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.servers import errors, takes_names

if TYPE_CHECKING:
    from P4 import P4

    from support.servers import ClientFactory, Server
    from support.warden import Warden
    from support.workspaces import ClientWorkspace

EVERYTHING = pytest.mark.touches("*")
NAMES = pytest.mark.touches(
    "odd-names",
    "args",
    "groups",
    "unknown-variables",
    "table",
    "triggers-io",
    "refusal-order",
    "form-save-text",
)

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
exemptions:
  - {users: [p4admin], rules: [polling], reason: p4warden asks the server, owner: scm}
  - {groups: [build-farm], reason: builds, owner: ci}
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: enforce, forms: [client, stream]}
  - {name: short-paths, rule: limit_path_length, mode: enforce, max_leading: 40}
  - {name: no-wide-commands, rule: limit_command_scope, mode: enforce, commands: [files]}
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [depots]
    limits: [{per: [user, args], allow: 1 per 1h, burst: 4}]
"""
WIDE, NARROW = "//depot/... //ws/...", "//depot/main/... //ws/..."
LONG = "main/a-directory-with-a-name/that-is-long/a.c"


def save(p4: P4, view: str, client: str = "ws") -> str:
    view = view.replace("//ws/", f"//{client}/")
    p4.input = f"Client: {client}\nRoot: /nowhere\nView:\n\t{view}\n"
    return errors(p4, "client", "-i")


@pytest.fixture
def deployed_warden(warden: Warden) -> Warden:
    """Fixture: p4warden deployed on the server, with the deployment's own trigger tests passed."""
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    output = warden.must("deploy", "apply")
    assert output.count(": yes\n") == 3, output
    return warden


@EVERYTHING
def test_a_wide_client_is_refused_and_a_narrow_client_is_saved(
    server: Server, deployed_warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    assert "rule=no-whole-depot" in save(p4, WIDE)
    assert save(p4, NARROW) == ""
    assert "rule=no-whole-depot" in save(p4, WIDE)
    assert p4.fetch_client()["View"] == [NARROW]
    assert save(connect(server, user="build", client="ws"), NARROW) == ""
    assert not any("fault" in record for record in deployed_warden.log())


@EVERYTHING
def test_members_of_an_exempt_group_may_save_wide_clients_and_use_wide_paths(
    server: Server, deployed_warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, server.super_user)
    admin.save_group({"Group": "all-of-us", "Users": ["ann", "build"]})
    assert save(connect(server, user="build"), WIDE) == ""
    assert errors(connect(server, user="build"), "files", "//...") == ""
    assert "rule=no-whole-depot" in save(connect(server), WIDE, "another")
    assert [record["verdict"] for record in deployed_warden.log()[-2:]] == ["allow", "refuse"]


@EVERYTHING
def test_commands_with_wide_paths_and_polling_commands_are_refused(
    server: Server, deployed_warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    assert "rule=no-wide-commands" in errors(p4, "files", "//...")
    assert errors(p4, "files", "//depot/main/src/...") == ""
    output = [errors(p4, "depots") for _ in range(5)]
    assert output[0] == ""
    assert "rule=polling" in output[-1]
    assert errors(connect(server, user="bob"), "depots") == ""
    assert not any("fault" in record for record in deployed_warden.log())


@EVERYTHING
def test_a_submit_of_a_file_with_a_long_path_is_refused(
    deployed_warden: Warden, disk: ClientWorkspace
) -> None:
    disk.p4.disconnect()
    disk.p4.connect()
    disk.p4.save_client({**disk.p4.fetch_client(), "View": ["//depot/main/... //ws/main/..."]})
    disk.add("main/a.c", LONG)
    assert "rule=short-paths" in errors(disk.p4, "submit", "-d", "text")
    disk.p4.run("revert", str(disk.root / LONG))
    change = disk.p4.run("opened")[0]["change"]
    assert disk.p4.run("submit", "-c", change)[-1]["submittedChange"]
    assert not any("fault" in record for record in deployed_warden.log())


@EVERYTHING
def test_p4_populate_is_allowed_with_the_verdict_unknown(
    server: Server, deployed_warden: Warden, connect: ClientFactory
) -> None:
    p4 = connect(server)
    target = f"//depot/{'x' * 60}/..."
    assert errors(p4, "populate", "//depot/docs/...", "//depot/docs2/...") == ""
    assert errors(p4, "populate", "//depot/docs/...", target) == ""
    record = deployed_warden.log()[-1]
    assert record["verdict"] == "unknown"
    assert "names no file of it yet, as during p4 populate" in record["trouble"]


@pytest.mark.parametrize("odd", ['"', '" --groups=build-farm "', "\t", "\n--groups=build-farm"])
@pytest.mark.parametrize("option", ["user", "prog"])
@NAMES
def test_names_with_quotation_marks_tabs_or_newlines_do_not_bypass_a_rule(
    server: Server, deployed_warden: Warden, connect: ClientFactory, option: str, odd: str
) -> None:
    # Without a license the number of users is limited: delete bob first, because the server itself
    # creates the user with the odd name (no form can contain such a name).
    connect(server, server.super_user).run("user", "-d", "-f", "bob")
    p4 = connect(server, **{option: f"ann{odd}"})
    output = save(p4, WIDE)
    is_served = takes_names(p4)
    # A server that writes the form anew refuses one with such an owner by itself.
    is_unreadable = "Error detected at line" in output
    assert "rule=no-whole-depot" in output or is_unreadable or (output and not is_served)
    assert not any("fault" in record for record in deployed_warden.log())


@EVERYTHING
def test_after_an_uninstall_a_new_connection_is_allowed_everything(
    server: Server, deployed_warden: Warden, connect: ClientFactory
) -> None:
    early = connect(server)
    early.run("info")
    assert (
        "the table was read back: no lines of this p4warden installation; "
        in deployed_warden.must("deploy", "uninstall", "--yes")
    )
    p4 = connect(server)
    assert save(p4, WIDE) == ""
    assert errors(p4, "files", "//...") == ""
