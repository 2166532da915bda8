"""Tests of deployments with lines placed first, two installations, or a table pasted by hand.

Also of shortened lines in a printed plan, and of a plan's notes about older servers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from p4warden.commands.deploy.notes import notes
from p4warden.policy.compiled import compile_policy
from p4warden.server.table_form import Server as Described
from p4warden.table.merge import Plan
from p4warden.table.trigger_lines import Installation
from support.policies import POLICY
from support.triggers import names, table, write
from support.warden import Warden

if TYPE_CHECKING:
    from pathlib import Path

    from P4 import P4

    from support.servers import ClientFactory, Server

pytestmark = pytest.mark.touches("table")

OTHERS = "Triggers:\n\tfirst form-save job /bin/true\n\tsecond form-save job /bin/true\n"


@pytest.fixture
def admin(server: Server, connect: ClientFactory) -> P4:
    p4 = connect(server, user=server.super_user)
    write(p4, OTHERS)
    return p4


def test_activate_reports_that_the_policy_needs_different_trigger_lines(
    warden: Warden, tmp_path: Path
) -> None:
    warden.prepare(POLICY)
    policy_file = tmp_path / "edited.yaml"
    policy_file.write_text(POLICY.replace("enforce", "observe"))
    assert "triggers table" not in warden.must("activate", str(policy_file))
    policy_file.write_text(POLICY.replace("[client]", "[client, label]"))
    assert warden.must("activate", str(policy_file)).endswith(
        f"This policy needs different lines in the triggers table:\n  p4warden deploy plan --home "
        f"{warden.home}\n"
    )


def test_activate_knows_the_lines_that_the_table_has(warden: Warden, tmp_path: Path) -> None:
    warden.install(POLICY)
    policy_file = tmp_path / "edited.yaml"
    policy_file.write_text(POLICY.replace("[client]", "[client, label]"))
    assert "different lines" in warden.must("activate", str(policy_file))
    policy_file.write_text(POLICY)
    assert "different lines" not in warden.must("activate", str(policy_file))
    assert "0 added, 0 updated, 0 removed" in warden.must("deploy", "plan")


def test_trigger_lines_are_placed_as_specified_and_stay_in_place(
    warden: Warden, admin: P4
) -> None:
    warden.prepare(POLICY)
    warden.must("deploy", "plan", "--place", "before second", code=1)
    warden.must("deploy", "apply", "--no-verify")
    assert names(admin) == ["first", "p4warden.form-save.client", "second"]
    assert "0 removed; 1 p4warden line unchanged" in warden.must("deploy", "plan")
    assert "1 moved" in warden.must("deploy", "plan", "--place", "first", code=1)
    assert "no line of another tool is named x" in warden.must(
        "deploy", "plan", "--place", "after x", code=2
    )
    assert "specify first, last" in warden.must("deploy", "plan", "--place", "middle", code=2)


def test_two_installations_on_one_server_are_distinguished(
    server: Server, warden: Warden, admin: P4, tmp_path: Path
) -> None:
    warden.install(POLICY)
    (tmp_path / "two").mkdir()
    other = Warden(server, tmp_path / "two")
    other.prepare(POLICY)
    output = other.must("deploy", "plan", code=2)
    assert f"triggers table: {warden.home} (no instance name); this one is {other.home}" in output
    assert f"specify --home {warden.home}; " in output
    assert f"p4warden deploy plan --home {other.home} --instance NAME; " in output
    other.must("deploy", "plan", "--instance", "test", code=1)
    other.must("deploy", "apply", "--no-verify")
    both = ["p4warden.form-save.client", "p4warden-test.form-save.client"]
    assert names(admin) == ["first", "second", *both]
    assert "0 removed; 1 p4warden line unchanged" in other.must("deploy", "plan")
    assert "0 removed; 1 p4warden line unchanged" in warden.must("deploy", "plan")
    output = other.must("deploy", "verify")
    assert "not tested: another trigger refuses it: 'p4warden.form-save.client' valid" in output
    assert "a narrow client is accepted: yes\n" in output
    assert "is already named test" in other.must("deploy", "plan", "--instance", "other", code=2)

    nowhere = str(tmp_path / "nowhere")
    output = warden.must("deploy", "uninstall", "--yes", "--home", nowhere, home=False, code=1)
    both_homes = f"{warden.home} (no instance name), {other.home} (the instance test)"
    assert (
        f"the triggers table has no lines of {nowhere}; its p4warden lines belong to {both_homes}"
        in output
    )
    assert (
        f"To remove the lines of {warden.home}: p4warden deploy uninstall --home {warden.home}; "
        "likewise for the others\n" in output
    )
    warden.must("deploy", "uninstall", "--yes")
    assert names(admin) == ["first", "second", both[1]]
    output = warden.must("deploy", "uninstall", "--yes", "--home", nowhere, home=False, code=1)
    assert output.endswith(
        f"To remove the lines of {other.home}: p4warden deploy uninstall --home {other.home}\n"
    )
    other.must("deploy", "uninstall", "--yes")
    assert names(admin) == ["first", "second"]


def test_an_offline_plan_prints_a_table_that_can_be_pasted(
    warden: Warden, admin: P4, tmp_path: Path
) -> None:
    warden.activate(POLICY)
    file = tmp_path / "table.txt"
    assert warden.must("deploy", "plan", "--offline", str(file), code=2) == (
        f"p4warden: {file}: cannot be read: No such file or directory\n"
    )
    file.write_text(table(admin))
    plan_text = warden.must("deploy", "plan", "--offline", str(file), code=1)
    write(admin, plan_text)
    warden.must("refresh")
    assert "0 removed; 1 p4warden line unchanged" in warden.must("deploy", "plan")
    file.write_text(table(admin), "utf-8-sig")
    assert warden.must("deploy", "plan", "--offline", str(file), code=0) == plan_text
    file.write_text(table(admin), "utf-16")
    assert warden.must("deploy", "plan", "--offline", str(file), code=2) == (
        f"p4warden: {file} is UTF-16 (save it as UTF-8)\n"
    )
    file.write_text("nothing")
    assert "the form has no Triggers: field" in warden.must(
        "deploy", "plan", "--offline", str(file), code=2
    )


def test_uninstall_with_remove_files_keeps_the_off_file_and_files_of_others(
    warden: Warden, admin: P4
) -> None:
    before = table(admin)
    warden.install(POLICY)
    (warden.home / "notes").write_text("mine")
    (warden.home / "p4enviro").write_text("P4CHARSET=none\n")
    (warden.home / "policy.json.4711.new").write_text("{")
    assert "other files, left in place: notes" in warden.must(
        "deploy", "uninstall", "--yes", "--remove-files"
    )
    assert sorted(file.name for file in warden.home.iterdir()) == ["notes", "off"]
    (warden.home / "off").unlink()
    assert "it is not a p4warden home; left unchanged" in warden.must(
        "deploy", "uninstall", "--yes", "--remove-files", code=1
    )
    assert [file.name for file in warden.home.iterdir()] == ["notes"]
    warden.activate(POLICY)
    (warden.home / "notes").unlink()
    assert "off exists, they allow everything" in warden.must(
        "deploy", "uninstall", "--yes", "--remove-files"
    )
    assert "p4warden's files were removed\n" in warden.must(
        "deploy", "uninstall", "--yes", "--remove-files"
    )
    assert [file.name for file in warden.home.iterdir()] == ["off"]
    missing = str(warden.home / "missing")
    output = warden.must(
        *("deploy", "uninstall", "--yes", "--remove-files", "--home", missing), home=False
    )
    assert f"No files are removed: {missing} does not exist.\n" in output
    assert f"{missing} does not exist; there were no files to remove\n" in output
    assert table(admin) == before


@pytest.mark.parametrize(
    ("release", "parts"),
    [
        ((2013, 3), ["2014.1 and lacks triggers on commands"]),
        ((2022, 2), ["2023.1 and lacks %pressureCPU%"]),
        ((2024, 2), []),
        (None, []),
    ],
)
def test_a_plan_names_features_that_an_older_server_lacks(
    release: tuple[int, int] | None, parts: list[str]
) -> None:
    limit = {"per": ["user"], "allow": "1 per 1s", "when_pressure": "high"}
    rule: dict[str, Any] = {"name": "r", "rule": "limit_command_rate", "mode": "observe"}
    rule |= {"commands": ["fstat"], "limits": [limit]}
    policy = compile_policy({"contact": "x", "rules": [rule]}, "0" * 64)
    installation = Installation("/opt/gate", "/home")
    version = release and f"P4D/LINUX26X86_64/{release[0]}.{release[1]}/1 (2024/01/01)"
    server = Described("1666", version, release, None)
    output = [*notes(policy, installation, server, Plan("", ""))]
    assert len([note for note in output if "and lacks" in note]) >= len(parts)
    for part in parts:
        assert any(part in note for note in output), output
    if not parts:
        assert not any("and lacks" in note for note in output)


def test_a_plan_with_triggers_io_warns_about_trigger_lines_of_other_tools() -> None:
    policy = compile_policy({"contact": "x", "rules": []}, "0" * 64)
    installation = Installation("/opt/gate", "/home", triggers_io=True)
    server = Described("1666", None, None, None)
    [note] = notes(policy, installation, server, Plan("", "", foreign=3))
    assert note.startswith("triggers.io is 1 on this server")
    assert note.endswith("check that those of other tools do as well: 3 lines.")
