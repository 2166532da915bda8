"""Tests that a killed or concurrent deployment leaves either the old or the new triggers table."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden.health import CheckedInstallation, installed_lines
from p4warden.home import locks
from support.policies import POLICY
from support.triggers import table, write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from P4 import P4

    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory

pytestmark = pytest.mark.touches("table")

# Pattern of the p4 commands that a deployment sends; a trigger on them can kill the deployment.
COMMANDS = "(triggers|client|depots|configure)$"
MOST_COMMANDS = 40

KILL = """#!/bin/sh
# Let so many commands of the deploy pass, and kill it at the next one.
left=$(cat "{folder}/left")
echo $((left - 1)) > "{folder}/left"
[ "$left" -ne 0 ] || kill -9 "$(cat "{folder}/pid")"
exit 0
"""


@pytest.fixture
def warden(sandbox: Sandbox, tmp_path: Path) -> Warden:
    warden = Warden(sandbox, tmp_path)
    warden.prepare(POLICY)
    return warden


def looked_at(warden: Warden, admin: P4) -> str:
    """Return a text of `doctor`'s messages and remedies about the installed trigger lines."""
    place = CheckedInstallation(str(warden.home), 0, admin)
    return "\n".join(f"{check.message}\n{check.remedy}" for check in installed_lines.checks(place))


# Python program that forks a `deploy apply` for each line on its standard input, so that p4warden
# is imported only once for all deployments.
DEPLOYS = """
import os, sys
from p4warden import cli
from p4warden.commands import deploy
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        os._exit(cli.run(["deploy", "apply", "--home", sys.argv[2]]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def deploys(warden: Warden, tmp_path: Path) -> Iterator[Callable[[], int]]:
    """Fixture: a function that runs `p4warden deploy apply` and returns its exit code."""
    child = subprocess.Popen(
        [sys.executable, "-c", DEPLOYS, str(tmp_path / "pid"), str(warden.home)],
        env=os.environ | warden.settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def deploy() -> int:
        assert child.stdin
        assert child.stdout
        child.stdin.write(b"\n")
        child.stdin.flush()
        return int(child.stdout.readline())

    with child:
        yield deploy
        child.kill()


def killer(folder: Path) -> Path:
    """Write the script that can kill `deploy apply` at a chosen p4 command; return its path."""
    script = folder / "kill"
    script.write_text(KILL.format(folder=folder))
    script.chmod(0o700)
    (folder / "left").write_text("-1")
    return script


def test_a_deploy_killed_at_any_step_leaves_the_old_or_the_new_triggers_table(
    sandbox: Sandbox,
    warden: Warden,
    connect: ClientFactory,
    tmp_path: Path,
    deploys: Callable[[], int],
) -> None:
    admin = connect(sandbox, user=sandbox.super_user)
    write(admin, f"Triggers:\n\tkill command pre-user-{COMMANDS} {killer(tmp_path)}\n")
    before = table(admin)
    values = set()
    for command_count in range(MOST_COMMANDS):
        warden.must("deploy", "plan", code=1)
        (tmp_path / "left").write_text(str(command_count))
        code = deploys()
        (tmp_path / "left").write_text("-1")
        if code == 0:
            break
        now, output = table(admin), looked_at(warden, admin)
        is_old = now == before
        assert is_old or "p4warden.form-save.client form-save client" in now
        values.add(("old" if is_old else "new", "a deploy was interrupted" in output))
        if not is_old:
            assert "after it wrote the new triggers table" in output
            assert "p4warden deploy rollback --home" in output
            if ("verified", False) not in values:
                warden.must("deploy", "verify")
                values.add(("verified", "a deploy was interrupted" in looked_at(warden, admin)))
                assert "cut off, then verified" in warden.must("history")
                warden.must("deploy", "uninstall", "--yes")
            else:
                warden.must("deploy", "rollback", "--yes")
            assert table(admin) == before
    assert code == 0
    assert {("old", True), ("new", True), ("verified", False)} <= values
    assert [row["client"] for row in admin.run("clients")] == []


def test_a_deploy_ended_by_sigterm_restores_the_old_triggers_table(
    sandbox: Sandbox,
    warden: Warden,
    connect: ClientFactory,
    tmp_path: Path,
    deploys: Callable[[], int],
) -> None:
    admin = connect(sandbox, user=sandbox.super_user)
    script = tmp_path / "end"
    script.write_text(f'#!/bin/sh\nkill -TERM "$(cat "{tmp_path}/pid")"\nexit 0\n')
    script.chmod(0o700)
    write(admin, f"Triggers:\n\tend form-commit client {script}\n")
    before = table(admin)
    warden.must("deploy", "plan", code=1)
    assert deploys() == 130
    assert table(admin) == before
    assert admin.run("clients") == []
    assert "a deploy was interrupted" not in looked_at(warden, admin)


def test_deploy_fails_while_another_process_holds_the_deploy_lock(warden: Warden) -> None:
    warden.must("deploy", "plan", code=1)
    with (warden.home / locks.DEPLOY).open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        assert "another p4warden is at work" in warden.must("deploy", "apply", code=1)
    warden.must("deploy", "apply")


def test_deploy_fails_if_the_table_read_back_differs_from_the_written_table(
    sandbox: Sandbox, warden: Warden, connect: ClientFactory, tmp_path: Path
) -> None:
    admin = connect(sandbox, user=sandbox.super_user)
    # A form-in trigger replaces each saved triggers table, as a write from another host would.
    other = "Triggers:\n\tother form-save job /bin/true\n"
    script = tmp_path / "other"
    script.write_text(f"#!/bin/sh\nprintf '%s' '{other}' > \"$1\"\n")
    script.chmod(0o700)
    write(admin, f'Triggers:\n\tlate form-in triggers "{script} %formfile%"\n')
    warden.must("deploy", "plan", code=1)
    output = warden.must("deploy", "apply", code=1)
    assert (
        "the triggers table differs from the one that was written; someone else may have" in output
    )
    assert output.endswith("their version was left in place\n")
    assert "other form-save job" in table(admin)
