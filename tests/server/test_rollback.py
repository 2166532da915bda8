"""Tests of `p4warden deploy rollback`, which restores earlier policy and trigger lines."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from p4warden_sandbox import Sandbox, Settings
from support.policies import POLICY
from support.triggers import names, table, write
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches("table")

OTHERS = "Triggers:\n\tfirst form-save job /bin/true\n\tsecond form-save job /bin/true\n"
SECOND = POLICY.replace("[client]", "[client, label]")
THIRD = POLICY.replace("enforce", "observe")


@pytest.fixture
def admin(server: Server, connect: ClientFactory) -> P4:
    p4 = connect(server, user=server.super_user)
    write(p4, OTHERS)
    return p4


def deploy(warden: Warden, policy: str, tmp_path: Path, message: str = "", code: int = 0) -> str:
    """Deploy a policy, given as YAML text, with `deploy plan` and `deploy apply --no-verify`."""
    file = tmp_path / "given.yaml"
    file.write_text(policy)
    warden.must("deploy", "plan", "--policy", str(file), code=1)
    return warden.must(
        *("deploy", "apply", "--policy", str(file), "--no-verify", "-m", message), code=code
    )


def running(warden: Warden) -> str:
    return warden.must("activate").split(": policy ")[1][:12]


def test_rollback_restores_earlier_deployments_one_by_one(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    values = []
    for policy in (POLICY, SECOND, THIRD):
        deploy(warden, policy, tmp_path)
        values.append((running(warden), table(admin)))
    for state in (values[1], values[0]):
        output = warden.must("deploy", "rollback", "--yes")
        assert f"Policy: {state[0]}; rules: " in output
        assert (running(warden), table(admin)) == state
    output = warden.must("deploy", "rollback", "--to", "2", "--yes")
    assert re.match(
        r"Plan: return to the state after change 2 \(deploy, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)\.\n",
        output,
    )
    assert output.endswith(
        "Nothing to do: the policy and the triggers table are already in this state.\n"
    )
    assert "no earlier state is known" in warden.must("deploy", "rollback", "--yes", code=1)
    warden.must("deploy", "rollback", "--to", "4", "--yes")
    assert (running(warden), table(admin)) == values[2]


def test_rollback_restores_an_earlier_policy_with_the_same_trigger_lines(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    first, lines = running(warden), table(admin)
    deploy(warden, THIRD, tmp_path)
    assert table(admin) == lines
    output = warden.must("deploy", "rollback", "--yes")
    assert "mode: observe -> enforce" in output
    assert "is not the active policy since rollback 4" in warden.must("status")
    assert warden.must("history", "4", "--policy") == POLICY
    assert (running(warden), table(admin)) == (first, lines)


def test_rollback_keeps_later_changes_of_lines_of_other_tools(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    warden.prepare(POLICY)
    warden.must("deploy", "plan", "--place", "before second", code=1)
    warden.must("deploy", "apply", "--no-verify")
    deploy(warden, SECOND, tmp_path)
    edited_table = table(admin).replace("first form-save job", "first form-save depot")
    write(admin, f"{edited_table}\tthird form-save job /bin/true\n")
    warden.must("deploy", "rollback", "--yes")
    assert names(admin) == ["first", "p4warden.form-save.client", "second", "third"]
    assert "\tfirst form-save depot /bin/true\n" in table(admin)


def test_rollback_shows_the_changes_and_asks_for_confirmation(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    deploy(warden, SECOND, tmp_path)
    before = running(warden), table(admin)
    output = warden.must("deploy", "rollback", answer="n\n")
    assert "-   p4warden.form-save.label" in output
    assert f"Apply these changes to {admin.port} and {warden.home}? [y/N]: " in output
    assert output.endswith("Nothing was changed.\n")
    assert "nobody answered" in warden.must("deploy", "rollback", code=1, answer="")
    assert (running(warden), table(admin)) == before
    assert "Done: written, read back" in warden.must("deploy", "rollback", answer="y\n")
    assert (running(warden), table(admin)) != before


@pytest.mark.long
def test_uninstall_shows_removed_lines_and_files_and_asks_for_confirmation(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    before = running(warden), table(admin)
    output = warden.must("deploy", "uninstall", answer="n\n")
    assert "-   p4warden.form-save.client" in output
    assert "1 removed" in output
    assert (
        f"No files are removed from {warden.home}; the policy, the log and the history stay."
        in output
    )
    assert f"Apply these changes to {admin.port} and {warden.home}? [y/N]: " in output
    assert output.endswith("Nothing was changed.\n")
    output = warden.must("deploy", "uninstall", code=1, answer="")
    assert "Nothing was changed: nobody answered. Answer at a terminal, or use --yes" in output
    output = warden.must("deploy", "uninstall", "--remove-files", answer="n\n")
    assert f"Files to be removed from {warden.home}: " in output
    assert "policy.json" in output
    assert (running(warden), table(admin)) == before
    output = warden.must("deploy", "uninstall", answer="y\n")
    assert (
        "the table was read back: no lines of this p4warden installation; 2 other lines, byte"
        in output
    )
    assert names(admin) == ["first", "second"]
    assert "[y/N]" not in warden.must("deploy", "uninstall")


def test_rollback_to_a_damaged_or_unsupported_policy_changes_nothing(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    old = running(warden)
    deploy(warden, SECOND, tmp_path)
    before = running(warden), table(admin)
    [stored_policy] = (warden.home / "history").glob(f"policy-{old}*.yaml")
    stored_policy.write_text("version: 1\n")
    assert "is damaged: its content does not match its digest" in warden.must(
        "deploy", "rollback", "--yes", code=1
    )
    # Store a policy with a rule that this release of p4warden does not know.
    foreign = POLICY.replace("limit_view_scope", "limit_view_of_old")
    present = rewritten(warden, foreign)
    output = warden.must("deploy", "rollback", "--to", str(present), "--yes", code=1)
    assert "limit_view_of_old" in output
    problem = "p4warden: this release does not accept the policy active at that time;"
    assert f"{problem} nothing was changed." in output
    assert (running(warden), table(admin)) == before


def rewritten(warden: Warden, policy: str) -> int:
    """Replace the policy of change 2 in the deployment history; return the number 2."""
    digest = hashlib.sha256(policy.encode()).hexdigest()
    (warden.home / "history" / f"policy-{digest[:16]}.yaml").write_text(policy)
    file = warden.home / "history.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    records[1]["policy"] = digest
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return 2


def test_a_failed_deployment_restores_the_policy_and_the_table(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    # A form-in trigger makes the deployment fail: it refuses each triggers table that contains
    # p4warden's form-save line for labels.
    program = tmp_path / "refuse"
    program.write_text(
        '#!/bin/sh\ngrep -q p4warden.form-save.label "$1" || exit 0\necho no; exit 1\n'
    )
    program.chmod(0o700)
    write(admin, f'{table(admin)}\tzz form-in triggers "{program} %formfile%"\n')
    admin.disconnect()
    admin.connect()
    before = running(warden), table(admin)
    contents = {
        name: (warden.home / name).read_bytes() for name in ("policy.json", "policy.source")
    }
    deploy(warden, SECOND, tmp_path, "more labels", code=1)
    assert (running(warden), table(admin)) == before
    for name, content in contents.items():
        assert (warden.home / name).read_bytes() == content
    last = warden.must("history").splitlines()[-1]
    assert " deploy " in last
    assert "more labels; failed: " in last
    # The second deployment failed, so the present state is that of the first, and there is no
    # earlier state for a rollback to restore.
    assert "no earlier state" in warden.must("deploy", "rollback", "--yes", code=1)


def test_rollback_after_an_uninstall_restores_the_trigger_lines(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    table_with_lines = table(admin)
    warden.must("deploy", "uninstall", "--yes")
    assert names(admin) == ["first", "second"]
    warden.must("deploy", "rollback", "--yes")
    assert table(admin) == table_with_lines
    assert not (warden.home / "off").exists()


def test_rollback_does_nothing_if_the_table_changes_before_the_confirmation(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    deploy(warden, SECOND, tmp_path)
    with asking(warden) as question:
        write(admin, f"{table(admin)}\tthird form-save job /bin/true\n")
        edited_table = table(admin)
        output = confirmed(question)
    assert "the triggers table was changed meanwhile; nothing was done" in output
    assert table(admin) == edited_table


def test_rollback_does_nothing_if_a_policy_is_activated_before_the_confirmation(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    deploy(warden, SECOND, tmp_path)
    before = table(admin)
    with asking(warden) as question:
        warden.must("activate", str(changed_file(tmp_path)))
        active_policy = running(warden)
        output = confirmed(question)
    assert "another policy was activated meanwhile; nothing was done, try again" in output
    assert (running(warden), table(admin)) == (active_policy, before)
    assert question.returncode == 1


@contextlib.contextmanager
def asking(warden: Warden) -> Iterator[subprocess.Popen[bytes]]:
    """Context manager: a `p4warden deploy rollback` that waits for its question's answer."""
    command = [sys.executable, "-m", "p4warden", "deploy", "rollback", "--home", str(warden.home)]
    with subprocess.Popen(
        command,
        env={**os.environ, **warden.settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as question:
        assert question.stdout
        output = b""
        while b"[y/N]" not in output:
            output += question.stdout.read(1)
            assert question.poll() is None, output
        yield question


def confirmed(question: subprocess.Popen[bytes]) -> str:
    """Answer the question of a rollback with yes; return the rest of its output."""
    return question.communicate(b"y\n")[0].decode()


def test_activate_without_a_history_records_the_earlier_policy_for_rollback(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    deploy(warden, POLICY, tmp_path)
    old = running(warden)
    (warden.home / "history.jsonl").unlink()
    for file in (warden.home / "history").iterdir():
        file.unlink()
    warden.must("activate", str(changed_file(tmp_path)))
    present = json.loads(warden.must("history", "--json"))
    assert [change["action"] for change in present] == ["found", "activate"]
    warden.must("deploy", "rollback", "--yes")
    assert running(warden) == old
    assert names(admin)[-1] == "p4warden.form-save.client"


def test_rollback_to_a_state_before_any_deploy_leaves_a_table_without_lines_alone(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    before = table(admin)
    for text in (POLICY, THIRD):
        (tmp_path / "policy.yaml").write_text(text)
        warden.must("activate", str(tmp_path / "policy.yaml"))
    output = warden.must("deploy", "rollback", "--yes")
    assert "Policy: " in output
    assert table(admin) == before
    states = json.loads(warden.must("history", "--json"))
    assert states[-1]["policy"] == states[0]["policy"]


@pytest.mark.parametrize("number", [1, 2])
def test_rollback_to_a_state_before_the_first_deploy_takes_its_lines_out(
    warden: Warden, admin: P4, tmp_path: Path, number: int
) -> None:
    before = table(admin)
    for text in (POLICY, THIRD):
        (tmp_path / "policy.yaml").write_text(text)
        warden.must("activate", str(tmp_path / "policy.yaml"))
    deploy(warden, SECOND, tmp_path)
    assert table(admin) != before
    warden.must("deploy", "rollback", "--yes", "--to", str(number))
    assert table(admin) == before
    states = json.loads(warden.must("history", "--json"))
    assert states[-1]["policy"] == states[number - 1]["policy"]


def changed_file(folder: Path) -> Path:
    file = folder / "changed.yaml"
    file.write_text(THIRD)
    return file


def test_uninstalling_on_another_server_leaves_the_triggers_of_this_one_on(
    warden: Warden, admin: P4, tmp_path: Path, connect: ClientFactory
) -> None:
    deploy(warden, POLICY, tmp_path)
    with Sandbox(Settings()) as second:
        other = connect(second, user=second.super_user)
        write(other, table(admin))

        output = Warden(second, tmp_path).must("deploy", "uninstall", "--yes")

        assert names(other) == ["first", "second"]
        assert (
            f"{warden.home} belongs to another server than {second.port}, whose triggers stay on."
            in output
        )
    assert not (warden.home / "off").exists()
    assert "p4warden.form-save.client" in names(admin)


def test_rollback_to_a_policy_whose_baseline_is_missing_says_so(
    warden: Warden, tmp_path: Path
) -> None:
    deploy(warden, POLICY.replace("enforce", "enforce, baseline: true"), tmp_path)
    deploy(warden, SECOND, tmp_path)
    output = warden.must("deploy", "rollback", answer="n\n")
    assert "Warning: a rule has baseline: true, but there is no census" in output
    assert f"run p4warden census --write-baseline --home {warden.home}.\n" in output
