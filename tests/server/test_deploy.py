"""Tests of `p4warden deploy` plan, apply and uninstall; other tools' lines stay unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY
from support.triggers import table, write
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server
    from support.triggers import Install, Script

pytestmark = pytest.mark.touches("table", "depot-programs", "form-save-text")

OTHERS = (
    "Triggers:\n"
    '\tswarm.job form-commit job "%quote%/opt/swarm trigger%quote% -t job -v %formname%"\n'
    "\tban command pre-user-obliterate$ fail\n"
    '\tcheck form-save client "/bin/true %formfile% # not a comment"\n'
)


def test_plan_apply_and_uninstall_leave_lines_of_other_tools_unchanged(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    write(admin, OTHERS)
    before = table(admin)
    warden.prepare(POLICY)

    output = warden.must("deploy", "plan", code=1)
    assert "+   p4warden.form-save.client: each client form that is saved" in output
    assert "0 removed; 0 p4warden lines unchanged, 3 lines of other tools unchanged." in output
    assert table(admin) == before

    warden.must("deploy", "apply")
    assert [line for line in table(admin).splitlines() if "p4warden.form" not in line] == (
        before.splitlines()
    )
    assert table(admin).count("p4warden.form-save.client") == 1
    assert "0 added, 0 updated, 0 removed; 1 p4warden line unchanged" in warden.must(
        "deploy", "plan"
    )

    warden.must("deploy", "uninstall", "--yes")
    assert table(admin) == before


def test_apply_refuses_a_plan_made_before_a_change_of_the_triggers_table(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    write(admin, OTHERS)
    new_table = table(admin)
    output = warden.must("deploy", "apply", code=1)
    remedy = "run p4warden deploy plan again"
    assert output == f"p4warden: the triggers table was changed since the plan; {remedy}\n"
    assert table(admin) == new_table


def test_a_plan_can_be_applied_only_once(warden: Warden) -> None:
    warden.prepare(POLICY)
    assert "run p4warden deploy plan first" in warden.must("deploy", "apply", code=1)
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    assert "run p4warden deploy plan first" in warden.must("deploy", "apply", code=1)


def test_apply_refuses_a_plan_for_another_server(
    warden: Warden, tmp_path: Path, connect: ClientFactory
) -> None:
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    with Sandbox(Settings(root=tmp_path / "other")) as other:
        elsewhere = Warden(other, tmp_path)
        assert "the plan is for" in elsewhere.must("deploy", "apply", code=1)
        assert "p4warden.form-save" not in table(connect(other, user=other.super_user))


def test_a_p4warden_trigger_line_is_updated_in_place(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    home = f"%quote%--home={warden.home}%quote%"
    own_line = f'\tp4warden.form-save.client form-save client "old {home}"\n'
    write(admin, OTHERS.replace("\tban", f"{own_line}\tban"))
    warden.prepare(POLICY)
    assert "0 added, 1 updated, 0 removed" in warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    names = [line.split()[0] for line in table(admin).splitlines() if line.startswith("\t")]
    assert names == ["swarm.job", "p4warden.form-save.client", "ban", "check"]


def test_deploy_removes_the_trigger_line_of_a_rule_in_mode_off(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    admin = connect(server, user=server.super_user)
    warden.install(POLICY)
    warden.prepare(POLICY.replace("enforce", "off"))
    assert "0 added, 0 updated, 1 removed" in warden.must("deploy", "plan", code=1)
    warden.must("deploy", "apply")
    assert "p4warden.form-save" not in table(admin)


def test_deploy_plan_without_an_active_policy_is_an_error(warden: Warden) -> None:
    assert "run p4warden activate POLICY" in warden.must("deploy", "plan", code=2)


@pytest.mark.parametrize("unicode", [False, True])
def test_non_ascii_lines_of_other_tools_are_unchanged_after_an_uninstall(
    tmp_path: Path, connect: ClientFactory, *, unicode: bool
) -> None:
    with Sandbox(Settings(unicode=unicode)) as server:
        settings = {"charset": "utf8"} if unicode else {}
        admin = connect(server, user=server.super_user, **settings)
        write(admin, 'Triggers:\n\tprüfen form-save job "/opt/prüfung %formname%"\n')
        before = table(admin)
        warden = Warden(server, tmp_path)
        warden.install(POLICY)
        warden.must("deploy", "uninstall", "--yes")
        assert table(admin) == before
        assert "prüfen" in before


def test_deploy_plan_refuses_a_triggers_table_that_is_not_utf_8(
    server: Server, warden: Warden, install: Install, script: Script
) -> None:
    bytes_come_in = script(r"printf 'Triggers:\n\tn form-save client /opt/caf\351\n' > $1")
    install(server, f'in form-in triggers "{bytes_come_in} %formfile%"')
    install(server)
    warden.prepare(POLICY)
    output = warden.must("deploy", "plan", code=2)
    assert "of p4 triggers -o has bytes that are not UTF-8" in output


@pytest.mark.state(protections="filled")
def test_a_failed_plan_discards_the_earlier_plan(
    server: Server, warden: Warden, connect: ClientFactory
) -> None:
    warden.prepare(POLICY)
    warden.must("deploy", "plan", code=1)
    warden.must("deploy", "plan", "--user", "ann", code=2)
    assert "run p4warden deploy plan first" in warden.must("deploy", "apply", code=1)
    assert "p4warden.form" not in table(connect(server, user=server.super_user))


def test_trigger_lines_contain_the_absolute_path_of_the_home_folder(
    server: Server, warden: Warden, connect: ClientFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(warden.home.parent)
    warden.prepare(POLICY)
    warden.must("refresh", "--home", "home", home=False)
    warden.must("deploy", "plan", "--home", "home", home=False, code=1)
    warden.must("deploy", "apply", "--home", "home", home=False)
    assert f"--home={warden.home}%quote%" in table(connect(server, user=server.super_user))
