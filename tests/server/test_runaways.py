"""Tests of `p4warden running --enforce` on a sandbox whose commands seem older than they are."""

from __future__ import annotations

import json
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from P4 import P4

from p4warden.home import ended_commands
from p4warden.prove.terminated import FACTS
from p4warden.server.running_server import RunningServer, SteadyClock
from p4warden_sandbox import Sandbox, Settings
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import ClientFactory
    from support.triggers import Install, Script

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


class Commands:
    """`p4 files` of three users, which wait in their triggers until they may go on."""

    def __init__(self, go: Path, clients: list[P4]) -> None:
        self._go = go
        self.errors: dict[str, list[str]] = {}
        self._threads = [Thread(target=self._run, args=(p4,)) for p4 in clients]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._go.touch()
        for thread in self._threads:
            thread.join()

    def _run(self, p4: P4) -> None:
        with p4.at_exception_level(P4.RAISE_NONE):
            p4.run("files", "//depot/...")
        self.errors[p4.user] = [str(error) for error in p4.errors]


@pytest.fixture
def commands(
    aged: Sandbox, connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> Iterator[Commands]:
    admin = connect(aged, aged.super_user)
    admin.run("configure", "set", "monitor=1")
    go = tmp_path / "go"
    wait = script(f"until [ -e {go} ]; do sleep 0.02; done")
    install(aged, f'wait command pre-user-files$ "{wait}"')
    commands = Commands(go, [connect(aged, user) for user in ("ann", "bob", "build")])
    connect.anew()
    commands.begin()
    names = ["files"] * 3
    while sorted(row["command"] for row in admin.run("monitor", "show"))[:3] != names:
        pass
    yield commands
    commands.end()


def test_a_refused_command_is_ended_and_its_user_can_be_told(
    aged: Sandbox, commands: Commands, tmp_path: Path, connect: ClientFactory
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
        *("notify-owners", "--ended", "1h", "--domain", "example.com", "--from", "p4@example.com"),
        *("--contact", "admins", "--addresses", str(addresses)),
    )
    assert "To: ann@example.com\nSubject: Your command p4 files was ended\n" in letter
    assert (
        "files has been running for 2 h 1 min; the policy allows 2 hours (rule endless)." in letter
    )
    assert "1 refused" in warden.must("report") or "endless" in warden.must("report")


@pytest.mark.parametrize(("case_sensitive", "user_type"), [(False, "standard"), (True, "")])
def test_a_user_has_a_type_in_each_case_that_the_server_takes_for_the_same(
    connect: ClientFactory, *, case_sensitive: bool, user_type: str
) -> None:
    with Sandbox(Settings(case_sensitive=case_sensitive)) as sandbox:
        connect(sandbox, "ann").run("clients")
        admin = connect(sandbox, sandbox.super_user)
        assert RunningServer(admin, SteadyClock()).person("Ann").user_type == user_type


def test_an_observing_rule_logs_each_command_once_and_ends_none(
    aged: Sandbox, commands: Commands, tmp_path: Path, connect: ClientFactory
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
