"""Tests that a deployment fires its new triggers, and restores the old table if one fails."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.table import plan_file
from p4warden_sandbox import Sandbox, Settings
from support.policies import POLLING
from support.triggers import table, write
from support.warden import Warden
from support.workspaces import ClientWorkspace

if TYPE_CHECKING:
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory, Server
    from support.triggers import Install, Script

pytestmark = pytest.mark.touches("table", "unchanged-form", "form-save-text", "form-file-mode")

POLICY = """\
version: 1
contact: admins
exemptions:
  - {users: [p4admin, "*"], reason: administration, owner: scm}
rules:
  - {name: no-whole-depot, rule: limit_view_scope, mode: observe, forms: [client]}
"""
OTHERS = 'Triggers:\n\tcheck form-save job "/bin/true %formfile%"\n'


def clients(p4: P4) -> list[str]:
    return [row["client"] for row in p4.run("clients")]


def test_deploy_tests_triggers_as_if_enforced_and_without_exemptions(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    before = clients(admin)
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    output = warden.must("deploy", "apply")
    assert "a client that maps a whole depot is refused: yes\n" in output
    assert "a narrow client is accepted: yes\n" in output
    assert "a command is judged: not tested: no rule is about commands\n" in output
    assert clients(admin) == before
    assert not (warden.home / "trial").exists()
    assert warden.must("deploy", "verify").count(": yes\n") == 2


def test_deploy_verify_fires_a_command_trigger_and_logs_each_trial_decision(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY + POLLING.replace("enforce", "observe"))
    p4 = connect(server)
    for _ in range(2):
        assert "fstat is judged: yes\n" in warden.must("deploy", "verify")
        p4.run("fstat", "//depot/main/...")
    forms = [("form-save", "refuse", True), ("form-save", "allow", True)]
    assert [(r["event"], r["verdict"], r["trial"]) for r in warden.log()] == [
        *(*forms, ("command", "allow", True)),
        *(*forms, ("command", "refuse", True)),
    ]


def test_nothing_is_written_without_the_gate_program(
    warden: Warden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warden.prepare(POLICY)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    output = warden.must("deploy", "plan", code=1)
    assert f"the consequences for users are not shown: {tmp_path}/p4warden-gate is miss" in output
    output = warden.must("deploy", "apply", code=1)
    assert f"nothing was changed: {tmp_path}/p4warden-gate does not exist: with the" in output


def test_a_running_trial_does_not_affect_other_clients(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    name = f"p4warden-trial-{'0' * 16}"
    (warden.home / "trial").write_text(f"{name} 99999999999\n")
    (warden.home / "trial").chmod(0o600)
    p4 = connect(server)
    assert p4.save_client(p4.fetch_client()) == ["Client ws saved."]
    another = p4.fetch_client(f"{name}x")
    assert p4.save_client(another) == [f"Client {name}x saved."]


def test_deploy_restores_the_old_table_if_a_trigger_does_not_run(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    write(admin, OTHERS)
    before = table(admin)
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    plan = json.loads((warden.home / plan_file.FILE_NAME).read_text())
    broken_table = plan["plan"]["after"].replace(f"--home={warden.home}", "--home=/nowhere")
    plan["plan"]["after"] = broken_table
    (warden.home / plan_file.FILE_NAME).write_text(json.dumps(plan))

    output = warden.must("deploy", "apply", code=1)
    assert (
        "a client that maps a whole depot is refused: NO: no trigger of this installation ran"
        in output
    )
    assert output.endswith("; the old table was restored, byte for byte\n")
    assert table(admin) == before
    assert clients(admin) == []


def test_deploy_verify_fails_while_p4warden_is_switched_off(warden: Warden) -> None:
    warden.install(POLICY)
    warden.must("off")
    output = warden.must("deploy", "verify", code=1)
    assert (
        "p4warden: p4warden is switched off, so its triggers allow everything: run p4warden on "
        in output
    )
    warden.must("on")
    warden.must("deploy", "verify")


def test_deploy_while_p4warden_is_switched_off_is_written_but_not_tested(
    warden: Warden, tmp_path: Path
) -> None:
    warden.install(POLICY)
    warden.must("off", "--for", "1h", "--reason", "a wrong rule")
    policy_file = tmp_path / "fixed.yaml"
    policy_file.write_text(POLICY.replace("[client]", "[client], min_depth: 2"))
    warden.must("deploy", "plan", "--policy", str(policy_file), code=1)
    output = warden.must("deploy", "apply", "--policy", str(policy_file))
    assert "Not tested: p4warden is switched off until 20" in output
    assert "Nothing to write." in output
    assert "min_depth: 2 -> 1" in warden.must("deploy", "rollback", "--yes")
    warden.must("on")
    assert "a client that maps a whole depot is refused: yes" in warden.must("deploy", "verify")


def test_deploy_verify_distinguishes_a_refusal_by_a_trigger_of_another_tool(
    server: Server, warden: Warden, install: Install, script: Script
) -> None:
    warden.install(POLICY)
    stop = script("echo no clients today; exit 1")
    install(server, f'stop form-in client "{stop}"', keep=True)
    output = warden.must("deploy", "verify")
    assert "a narrow client is accepted: not tested: another trigger refuses it: " in output
    assert "no clients today" in output


def test_a_temporary_client_that_cannot_be_deleted_is_reported(
    server: Server, warden: Warden, connect: ClientFactory, install: Install, script: Script
) -> None:
    warden.install(POLICY)
    stop = script("echo clients stay; exit 1")
    install(server, f'stop form-delete client "{stop}"', keep=True)
    output = warden.must("deploy", "verify")
    [client] = clients(connect(server, user=server.super_user))
    line = f"note: the temporary client {client} could not be deleted: "
    [note] = [text for text in output.splitlines() if text.startswith(line)]
    assert "clients stay" in note
    assert note.endswith(f"; delete it with p4 client -d -f {client}")
    assert (warden.home / "trial").read_text().startswith(f"{client} ")
    install(server)
    warden.install(POLICY)
    assert "note: " not in warden.must("deploy", "verify")
    assert clients(connect(server, user=server.super_user)) == []
    assert not (warden.home / "trial").exists()


def test_deploy_verify_distinguishes_a_trigger_of_another_tool_without_triggers_io(
    tmp_path: Path, connect: ClientFactory, install: Install
) -> None:
    with Sandbox(Settings(triggers_io=True)) as server:
        warden = Warden(server, tmp_path, connect)
        warden.install(POLICY)
        install(server, "silent form-in client /bin/true", keep=True)
        output = warden.must("deploy", "verify")
        assert "a narrow client is accepted: not tested: another trigger refuses it: " in output
        assert "'silent') produced indecipherable output" in output


def test_deploy_leaves_a_table_unchanged_that_the_server_refuses_to_save(
    tmp_path: Path, connect: ClientFactory
) -> None:
    """Deploy to a table with another tool's trigger line whose depot program was deleted.

    The server refuses the table, so the deployment fails, names the remedy and leaves the old one.
    """
    with Sandbox(Settings(variants={"depot-programs": "must-exist"})) as server:
        disk = ClientWorkspace(connect(server), tmp_path / "ws")
        disk.submit("work/check.py")
        admin = connect(server, server.super_user)
        write(admin, "Triggers:\n\tcheck form-save job %//depot/work/check.py%\n")
        disk.p4.run("delete", "//depot/work/check.py")
        disk.p4.run("submit", "-d", "gone")
        before = table(admin)
        warden = Warden(server, tmp_path)
        warden.prepare(POLICY)
        warden.must("deploy", "plan", code=1)
        output = warden.must("deploy", "apply", code=1)
        assert "Trigger depot file '//depot/work/check.py' not found" in output
        assert output.endswith(
            "; fix that line with p4 triggers, then run p4warden deploy plan again\n"
        )
        assert table(admin) == before


def trial_name(warden: Warden) -> str:
    return (warden.home / "trial_client").read_text("ascii").strip()


@pytest.mark.touches("spec-depot-file", "table")
def test_each_test_of_the_triggers_uses_the_same_client(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    admin.save_depot({"Depot": "spec", "Type": "spec", "Map": "spec/...", "Suffix": ".p4s"})
    warden.install(POLICY)
    for _ in range(3):
        warden.must("deploy", "verify")

    [file] = [row["depotFile"] for row in admin.run("files", "//spec/client/...")]

    assert file == f"//spec/client/{trial_name(warden)}.p4s"
    assert (warden.home / "trial_client").stat().st_mode & 0o777 == 0o600
    assert clients(admin) == []


def test_a_client_that_a_user_has_made_under_the_name_stays_and_delays_nothing(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.install(POLICY)
    warden.must("deploy", "verify")
    taken = trial_name(warden)
    p4 = connect(server, client=taken)
    form = {**p4.fetch_client(), "View": [f"//depot/main/src/... //{taken}/..."]}
    p4.save_client({**form, "Options": form["Options"].replace("unlocked", "locked")})

    output = warden.must("deploy", "verify")

    assert output.count(": yes\n") == 2
    assert clients(p4) == [taken]
    assert trial_name(warden) != taken


@pytest.mark.parametrize(
    "content", ["", "ws\n", f"p4warden-trial-{'0' * 15}\n", "p4warden-trial-"]
)
def test_a_damaged_name_of_the_client_is_replaced(warden: Warden, content: str) -> None:
    warden.install(POLICY)
    (warden.home / "trial_client").write_text(content)
    (warden.home / "trial_client").chmod(0o600)
    assert warden.must("deploy", "verify").count(": yes\n") == 2
    assert len(trial_name(warden)) == len("p4warden-trial-") + 16


@pytest.mark.parametrize(
    "event", ["form-in client", "form-save client", "command pre-user-client$"]
)
@pytest.mark.parametrize("unstarted", ["named", "unwrapped", "unexpected"])
def test_a_missing_program_of_another_tool_rolls_no_deploy_back(
    tmp_path: Path, connect: ClientFactory, event: str, unstarted: str
) -> None:
    with Sandbox(Settings(variants={"unstarted-trigger": unstarted})) as server:
        warden = Warden(server, tmp_path, connect)
        admin = connect(server, user=server.super_user)
        write(admin, f'Triggers:\n\tother {event} "/gone/check %user%"\n')
        warden.prepare(POLICY)
        warden.must("deploy", "plan", code=1)

        output = warden.must("deploy", "apply")

        assert "a narrow client is accepted: not tested: another trigger refuses it: " in output
        assert "p4warden.form-save.client" in table(admin)


def test_no_line_is_written_whose_program_does_not_start(
    tmp_path: Path, connect: ClientFactory
) -> None:
    with Sandbox(Settings()) as server:
        warden = Warden(server, tmp_path, connect)
        warden.prepare(POLICY)
        warden.must("deploy", "plan", code=1)
        plan = json.loads((warden.home / plan_file.FILE_NAME).read_text())
        program = gate_program.find()
        plan["plan"]["after"] = plan["plan"]["after"].replace(program, "/gone/gate")
        (warden.home / plan_file.FILE_NAME).write_text(json.dumps(plan))
        before = table(connect(server, user=server.super_user))

        output = warden.must("deploy", "apply", code=1)

        assert output == (
            "p4warden: nothing was changed: /gone does not exist: with the planned table p4d "
            "refuses every save of a client; put it there, then try again, or "
            "take present lines out with p4warden deploy uninstall\n"
        )
        assert table(connect(server, user=server.super_user)) == before
