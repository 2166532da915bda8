"""Tests that no policy stops what p4warden itself asks the server while submits wait."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.pasted import checks

if TYPE_CHECKING:
    from support.servers import ClientFactory, Server
    from support.warden import Warden
    from support.workspaces import ClientWorkspace

FOLDER = Path(__file__).parents[2] / "policies"
SHIPPED = {f.stem: f.read_text() for f in FOLDER.glob("*.yaml") if ".cases." not in f.name}
ENFORCED = {name: text.replace("mode: observe", "mode: enforce") for name, text in SHIPPED.items()}
LIMITED = """\
version: 1
contact: admins
on_error: deny
rules:
  - {name: few-tops, rule: limit_top_directories, mode: enforce, max: 100}
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat, dirs, depots]
    limits: [{per: [user], allow: 1/5s, burst: 3}]
  - {name: narrow, rule: limit_command_scope, mode: enforce, commands: [files], min_depth: 1}
"""
EXEMPT = "exemptions:\n  - {users: [build], rules: [polling], reason: builds, owner: ci}\n"
OBSERVED = LIMITED.replace("enforce\n    commands", "observe\n    commands")


def join(server: Server, connect: ClientFactory, group: str) -> None:
    admin = connect(server, user=server.super_user)
    admin.save_group({"Group": group, "Users": [server.super_user]})


def pasted(policy: str, message: str) -> str:
    """Return a policy with the exemption that a message says to add."""
    if match := re.search(r"\(write (exemptions: \[.*\])\)", message):
        return policy.replace("rules:\n", f"{match[1]}\nrules:\n", 1)
    [entry] = re.findall(r"\(add to exemptions: (- \{.*\})\)", message)
    return policy.replace("exemptions:\n", f"exemptions:\n  {entry}\n", 1)


def refused(warden: Warden, policy: str, *command: str, code: int = 1) -> str:
    file = warden.home.parent / "refused.yaml"
    file.write_text(policy)
    line = warden.must(*command, str(file), code=code).splitlines()[-1]
    assert line.startswith(f"{file}:6:5: rules[1]: ") or "exemptions:" in policy
    return line


def faults(warden: Warden) -> list[str]:
    records = warden.log() if (warden.home / "decisions.jsonl").exists() else []
    return [record["fault"] for record in records if "fault" in record]


@pytest.mark.parametrize("policy", ENFORCED.values(), ids=ENFORCED)
def test_ten_submits_in_a_row_pass_under_each_shipped_policy_with_all_rules_enforced(
    policy: str, server: Server, warden: Warden, disk: ClientWorkspace, connect: ClientFactory
) -> None:
    join(server, connect, "p4warden")
    warden.install(policy)
    for number in range(10):
        disk.submit(f"work/{number}.c")
    assert faults(warden) == []


@pytest.mark.parametrize(("head", "group"), [("", "p4-admins"), (EXEMPT, "")])
def test_a_policy_that_stops_its_own_account_is_refused_with_the_exemption_to_add(
    head: str,
    group: str,
    server: Server,
    warden: Warden,
    disk: ClientWorkspace,
    connect: ClientFactory,
) -> None:
    if group:
        join(server, connect, group)
    policy = LIMITED.replace("rules:\n", f"{head}rules:\n", 1)
    warden.must("refresh")
    messages = {
        refused(warden, policy, "activate"),
        refused(warden, policy, "deploy", "plan", "--policy", code=2),
    }
    [message] = messages
    assert f"polling would stop {server.super_user}, the account with which p4warden" in message
    assert f"groups: [{group}]" in message if group else f"users: [{server.super_user}]" in message
    warden.install(pasted(policy, message))
    for number in range(5):
        disk.submit(f"work/{number}.c")
    assert faults(warden) == []


def test_before_the_first_refresh_the_plan_knows_the_account_of_its_connection(
    warden: Warden,
) -> None:
    message = refused(warden, LIMITED, "deploy", "plan", "--policy", code=2)
    warden.activate(pasted(LIMITED, message))


def test_a_policy_that_an_unknown_account_may_run_into_is_reported_once_it_is_known(
    server: Server, warden: Warden
) -> None:
    warden.activate(LIMITED)
    warden.must("refresh")
    assert "polling would stop" in warden.must("deploy", "plan", code=2)
    found = checks(warden, 1)["own requests"]
    assert found["state"] == "bad"
    assert f"polling would stop {server.super_user}" in found["message"]
    remedy = f"({found['remedy'].partition(chr(10))[0]})"
    warden.activate(pasted(LIMITED, remedy))
    assert "own requests" not in checks(warden, 1)


def test_a_rule_that_observes_or_is_about_others_stops_nobody(warden: Warden) -> None:
    warden.must("refresh")
    warden.activate(OBSERVED)
    warden.activate(
        LIMITED.replace("mode: enforce\n", "mode: enforce\n    for: {groups: [art]}\n")
    )


def test_check_warns_of_a_policy_that_activate_refuses(warden: Warden, tmp_path: Path) -> None:
    warden.must("refresh")
    (tmp_path / "policy.yaml").write_text(LIMITED)
    output = warden.must("check", str(tmp_path / "policy.yaml"))
    assert "policy.yaml:6:5: warning: rules[1]: polling would stop " in output
