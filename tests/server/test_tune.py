"""Tests of `p4warden tune` on a server: each command that it prints is pasted and accepted."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from P4 import P4Exception

from audit.test_audit import CHECKPOINT
from p4warden.core import shipped_yaml
from p4warden.workbench.tune.live_state import recommended_values
from p4warden.workbench.tune.protections_form import protections
from support.warden import Warden

if TYPE_CHECKING:
    from P4 import P4

    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory, Server

CASES = Path(__file__).parents[1] / "cases" / "tune"
EVERY = shipped_yaml.load((CASES / "every_finding.yaml").read_text())
ANSWERS = shipped_yaml.load((CASES / "configure_help.yaml").read_text())
SETTINGS = [
    "db.peeking=1",
    "server.locks.sync=1",
    "monitor=10",
    "edge#monitor=0",
    "db.monitor.shared=0",
    "db.monitor.interval=0",
    "track=0",
    "server=4",
    "net.autotune=0",
    "net.tcpsize=65536",
    "net.parallel.max=1",
    "net.maxwait=600",
    "filesys.P4ROOT.min=500M",
    "filesys.P4JOURNAL.min=10%",
]
LIMITED = {
    "MaxResults": "50000",
    "MaxScanRows": "250000",
    "MaxLockTime": "20000",
    "MaxOpenFiles": "1000",
    "MaxMemory": "1000",
}
GROUPS = [
    {"Group": "dev", **LIMITED, "Users": ["bob"]},
    {"Group": "art", "Users": ["carol"]},
]
PROPERTY = "P4V.Performance.ServerRefresh"


class Site:
    """A sandbox with every bad setting, and its super user."""

    def __init__(self, sandbox: Sandbox, admin: P4, folder: Path) -> None:
        self.warden = Warden(sandbox, folder)
        self._admin = admin
        for setting in SETTINGS:
            admin.run("configure", "set", setting)
        for group in GROUPS:
            admin.save_group(group)
        admin.run("property", "-a", "-n", PROPERTY, "-v", "2", "-s", "1")
        admin.run("property", "-a", "-n", PROPERTY, "-v", "1", "-g", "art", "-s", "2")

    def tune(self) -> dict[str, Any]:
        return tuned(self.warden)

    def set_all(self, findings: list[dict[str, Any]]) -> None:
        for finding in findings:
            for line in finding["set_commands"]:
                self.paste(line)

    def paste(self, line: str) -> None:
        """Run a line as a shell does; those of p4d itself are for a server that is down."""
        if line.startswith("p4d "):
            return
        text, _, command = line.rpartition(" | ")
        if text:
            self._admin.input = subprocess.check_output(["/bin/sh", "-c", text], text=True)
        self._admin.run(*shlex.split(command)[1:])


def tuned(warden: Warden) -> dict[str, Any]:
    """Return the findings, which follow the notes."""
    output = warden.must("tune", "--json", home=False)
    result: dict[str, Any] = json.loads(output[output.index("{") :])
    return result


@pytest.fixture
def site(sandbox: Sandbox, connect: ClientFactory, tmp_path: Path) -> Site:
    return Site(sandbox, connect(sandbox, user=sandbox.super_user), tmp_path)


@pytest.mark.long
def test_every_command_is_accepted_and_undone_by_the_other(site: Site) -> None:
    before = site.tune()
    subjects = {one["subject"] for one in before["findings"]}
    assert {one["subject"] for one in EVERY["findings"]} <= subjects
    site.set_all(before["findings"])
    assert site.tune()["findings"] == []
    for finding in before["findings"]:
        for line in finding["undo_commands"]:
            site.paste(line)
    after = site.tune()
    assert after["findings"] == before["findings"]


def test_a_member_of_a_group_without_limits_gets_all_of_them(
    server: Server, connect: ClientFactory, tmp_path: Path
) -> None:
    admin = connect(server, user=server.super_user)
    admin.save_group({"Group": "art", "Users": ["carol"]})
    findings = tuned(Warden(server, tmp_path))["findings"]
    subjects = {one["present"]: one["subject"] for one in findings}
    limits = "MaxResults, MaxScanRows, MaxLockTime and MaxOpenFiles"
    assert subjects["1 user has none: carol"] == limits


@pytest.mark.long
def test_the_commands_for_a_checkpoint_are_accepted(site: Site) -> None:
    for kind in ("set", "undo"):
        for finding in EVERY["findings"]:
            for line in finding[kind]:
                site.paste(line)


def test_a_server_that_wants_comments_gets_commands_with_comments(
    sandbox: Sandbox, connect: ClientFactory, tmp_path: Path
) -> None:
    admin = connect(sandbox, user=sandbox.super_user)
    admin.run("configure", "set", "dm.configure.comment.mandatory=1")
    with pytest.raises(P4Exception):
        admin.run("configure", "set", "server.commandlimits=2")
    warden = Warden(sandbox, tmp_path)
    findings = tuned(warden)["findings"]
    lines = [line for one in findings for line in (*one["set_commands"], *one["undo_commands"])]
    lines = [line for line in lines if line.startswith("p4 configure ")]
    assert lines
    for line in lines:
        admin.run(*shlex.split(line)[1:])


def test_a_smaller_protections_table_is_accepted_and_as_small_as_it_can_be(
    site: Site, sandbox: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(sandbox, user=sandbox.super_user)
    lines = [
        "write user * * //depot/...",
        "write user ann * //depot/main/...",
        'read group art 10.1.* "//art/a b/*"',
        'read group art 10.1.* "//art/a b/*/..."',
        "admin user ben * //depot/...",
        f"super user {sandbox.super_user} * //...",
    ]
    admin.save_protect({"Protections": lines})
    table = site.tune()["protections"]
    assert table["diff"] == [
        "-2 write user ann * //depot/main/...",
        '-3 read group art 10.1.* "//art/a b/*"',
        '-4 read group art 10.1.* "//art/a b/*/..."',
        '+ read group art 10.1.* "//art/a b/..."',
    ]
    assert admin.fetch_protect()["Protections"] == lines
    admin.save_protect({"Protections": table["lines"]})
    smaller = site.tune()["protections"]
    assert (smaller["diff"], smaller["before"]) == ([], table["after"])


def test_the_files_of_the_index_in_the_home_are_counted(
    sandbox: Sandbox, connect: ClientFactory, tmp_path: Path
) -> None:
    connect(sandbox, user=sandbox.super_user)
    warden = Warden(sandbox, tmp_path)
    warden.home.mkdir(mode=0o700)
    (tmp_path / "ckp").write_text("\n".join([*CHECKPOINT, ""]))
    warden.must("index", "--checkpoint", str(tmp_path / "ckp"))
    assert "1.5 KB for each file: 150 KB for 100 files, " in warden.must("tune")


@pytest.mark.parametrize("case", ANSWERS, ids=[case["name"] for case in ANSWERS])
def test_recommendations_are_read_from_configure_help(case: dict[str, Any]) -> None:
    assert recommended_values(case["rows"]) == case["expected"]


def test_a_protections_form_that_is_not_understood_gets_no_proposal() -> None:
    table = protections("Protections:\n\twrite user * * //...\n\twrite people * * //...\n")
    assert table.problem == "a line is not understood: write people * * //..."
