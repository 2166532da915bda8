"""Tests of `p4warden running --enforce` on a sandbox whose commands seem older than they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from p4warden.home import ended_commands
from p4warden.prove.terminated import FACTS
from p4warden.workbench.running.monitor import RunningServer, SteadyClock
from p4warden_sandbox import Sandbox, Settings
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory
    from support.waiting_commands import WaitingCommands

AGED_S = 7300
POLICY = """\
version: 1
contact: admins
exemptions:
  - {groups: [build-farm], reason: builds, owner: ci}
rules:
  - {name: endless, rule: limit_running_time, mode: MODE, commands: [files], max_time: 2h}
"""


def report(release: str = "2024.2", **verdicts: str) -> str:
    facts = [{"id": name, "verdict": verdicts.get(name, "holds")} for name in FACTS]
    return json.dumps({"p4d": f"P4D/LINUX26X86_64/{release}/1", "facts": facts})


@pytest.fixture
def aged() -> Iterator[Sandbox]:
    with Sandbox(Settings(aged_s=AGED_S)) as sandbox:
        yield sandbox


@pytest.fixture
def commands(aged: Sandbox, connect: ClientFactory, waiting: WaitingCommands) -> WaitingCommands:
    """Fixture: `p4 files` of three users, which wait in their triggers until they may go on."""
    connect(aged, aged.super_user).run("configure", "set", "monitor=1")
    clients = [connect(aged, user) for user in ("ann", "bob", "build")]
    waiting.begin(aged, "command pre-user-files$", clients, "files", "//depot/...")
    return waiting


def test_a_refused_command_is_ended_and_its_user_can_be_told(
    aged: Sandbox, commands: WaitingCommands, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(aged, tmp_path, connect)
    policy = POLICY.replace("MODE", "enforce").replace("2h}", "2h, max_ends_per_hour: 1}")
    warden.activate(policy)
    (warden.home / "prove.json").write_text(report())
    output = warden.must("running", "--enforce")
    marked, left, total = output.splitlines()
    expected = "files has been running for 2 h 1 min; the policy allows 2 hours; endless: "
    assert f"of ann (client ws): {expected}marked for termination" in marked
    assert f"of bob (client ws): {expected}not ended: " in left
    assert "endless ended 1 command in the last hour, and may end no more" in left
    assert total == "2 commands too long: 1 marked for termination, 1 not ended"
    commands.end()
    ended = ["Command terminated by 'p4 monitor terminate'."]
    assert commands.errors == {"ann": ended, "bob": [], "build": []}
    [record] = warden.log()
    assert (record["event"], record["verdict"], record["user"]) == ("running", "refuse", "ann")
    assert (record["rule"], record["kind"]) == ("endless", "limit_running_time")
    addresses = tmp_path / "addresses.csv"
    addresses.write_text("ann,ann@example.com\n")
    letter = warden.must(
        *("notify-owners", "--ended", "1h", "--domain", "example.com"),
        *("--contact", "admins", "--addresses", str(addresses)),
    )
    assert "To: ann@example.com\nSubject: Your command p4 files was ended\n" in letter
    assert (
        "files has been running for 2 h 1 min; the policy allows 2 hours (rule endless)." in letter
    )
    [row] = [line.split() for line in warden.must("report").splitlines() if "enforce" in line]
    assert row == ["endless", "enforce", "1", "1", "ann"]


@pytest.mark.parametrize(("case_sensitive", "user_type"), [(False, "standard"), (True, "")])
def test_a_user_has_a_type_in_each_case_that_the_server_takes_for_the_same(
    connect: ClientFactory, *, case_sensitive: bool, user_type: str
) -> None:
    with Sandbox(Settings(case_sensitive=case_sensitive)) as sandbox:
        connect(sandbox, "ann").run("clients")
        admin = connect(sandbox, sandbox.super_user)
        assert RunningServer(admin, SteadyClock()).person("Ann").user_type == user_type


@pytest.mark.long
def test_an_observing_rule_logs_each_command_once_and_ends_none(
    aged: Sandbox, commands: WaitingCommands, tmp_path: Path, connect: ClientFactory
) -> None:
    warden = Warden(aged, tmp_path, connect)
    warden.activate(POLICY.replace("MODE", "observe"))
    dry = warden.must("running", "--dry-run")
    assert dry.splitlines()[-1] == "2 commands too long: 2 only observed"
    assert not (warden.home / "decisions.jsonl").exists()
    for _ in range(2):
        warden.must("running", "--enforce", "--once")
    assert sorted(record["user"] for record in warden.log()) == ["ann", "bob"]
    assert {(record["verdict"], record["would"]) for record in warden.log()} == {
        ("observe", "refuse")
    }
    commands.end()
    assert commands.errors == {"ann": [], "bob": [], "build": []}


def test_a_policy_without_such_a_rule_asks_the_server_nothing(
    aged: Sandbox, tmp_path: Path
) -> None:
    warden = Warden(aged, tmp_path)
    warden.activate(POLICY.replace("MODE", "off"))
    assert warden.must("running", "--enforce") == (
        "the running policy has no rule limit_running_time\n"
    )
    assert not (warden.home / ended_commands.FILE_NAME).exists()


@pytest.mark.long
def test_without_a_proof_that_can_be_used_each_command_is_left_with_the_remedy(
    aged: Sandbox, commands: WaitingCommands, tmp_path: Path
) -> None:
    warden = Warden(aged, tmp_path)
    warden.activate(POLICY.replace("MODE", "enforce"))
    proof = tmp_path / "proof.json"
    proof.write_text(report(**{"terminate.ends": "inconclusive"}))
    output = warden.must("running", "--enforce", "--proof", str(proof), code=1)
    *left, total = output.splitlines()
    assert total == "2 commands too long: 2 not ended"
    assert len(left) == 2
    for line in left:
        assert f"; endless: not ended: {proof}: does not show terminate.ends" in line
        assert line.endswith(f"(p4warden prove --p4d FILE --json {proof}, with the server's p4d)")
    commands.end()
    assert commands.errors == {"ann": [], "bob": [], "build": []}


@pytest.mark.parametrize("mode", ["--enforce", "--dry-run"])
def test_without_a_policy_or_a_server_one_line_tells_what_to_do(
    tmp_path: Path, aged: Sandbox, mode: str
) -> None:
    warden = Warden(aged, tmp_path)
    warden.home.mkdir(mode=0o700)
    assert warden.must("running", mode, code=1) == (
        f"p4warden: {warden.home}/policy.json: No such file or directory; "
        f"run p4warden activate POLICY --home {warden.home}\n"
    )
    warden.activate(POLICY.replace("MODE", "enforce"))
    assert warden.must("running", mode, "--port", "127.0.0.1:1", code=1) == (
        "p4warden: 127.0.0.1:1: the server cannot be reached; "
        "check the port, and that p4d is running\n"
    )
