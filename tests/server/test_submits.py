"""Tests of submits to a server where p4warden's rules check files added to depots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from P4 import P4Exception

from p4warden.home import server_account

if TYPE_CHECKING:
    from pathlib import Path

    from support.warden import Warden
    from support.workspaces import ClientWorkspace

pytestmark = pytest.mark.touches("table", "change-files")

POLICY = """\
version: 1
contact: "admins@example.com"
on_error: {on_error}
exemptions:
  - {{users: [bob], reason: imports, owner: scm}}
rules:
  - {{name: short-paths, rule: limit_path_length, mode: enforce, max_leading: 40, remap: true}}
  - {{name: few-tops, rule: limit_top_directories, mode: enforce, max: {most}}}
"""
LONG = "main/a-directory-with-a-name/that-is-long/a.c"


@pytest.fixture
def disk(disk: ClientWorkspace) -> ClientWorkspace:
    """Fixture: a client that maps a whole depot, to add files in new top directories."""
    client = disk.p4.fetch_client()
    client["View"] = ["//depot/... //ws/..."]
    disk.p4.save_client(client)
    return disk


def refusal(disk: ClientWorkspace) -> str:
    with pytest.raises(P4Exception) as error:
        disk.p4.run("submit", "-d", "text")
    return str(error.value)


def test_a_new_file_with_a_long_path_is_refused_with_a_proposed_view_line(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(POLICY.format(on_error="deny", most=100))
    disk.add("main/a.c", LONG)
    text = refusal(disk)
    assert "'p4warden.change-submit' validation failed: The new file of your change " in text
    assert "rule=short-paths " in text
    assert f"(//depot/{LONG}) has a path that is too long: 53 bytes; at most" in text
    assert "branching and submitting files with long paths takes longer" in text
    assert (
        "\n  //depot/main/SHORT/a.c //ws/main/a-directory-with-a-name/that-is-long/a.c\n" in text
    )
    assert warden.log()[-1]["kind"] == "limit_path_length"


def test_a_new_file_with_a_long_path_is_submitted_by_the_steps_of_the_refusal(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(POLICY.format(on_error="deny", most=100))
    disk.add("main/a.c", LONG)
    text = refusal(disk)
    [change] = re.findall(r"4\. p4 submit -c (\d+)\n", text)
    [line] = re.findall(r"\n  (//.*)\n", text)
    disk.p4.run("revert", "-k", f"//ws/{LONG}")
    client = disk.p4.fetch_client()
    client["View"] = [*client["View"], line.replace("SHORT", "long")]
    disk.p4.save_client(client)
    disk.p4.run("add", "-c", change, f"//ws/{LONG}")
    assert disk.p4.run("submit", "-c", change)[-1]["submittedChange"]
    assert disk.p4.run("files", "//depot/main/long/a.c")[0]["change"] == change


def test_a_new_file_with_a_long_path_is_moved_by_the_command_of_the_refusal(
    warden: Warden, disk: ClientWorkspace
) -> None:
    policy = POLICY.replace("remap: true", "remap: true, max_client_leading: 20")
    warden.install(policy.format(on_error="deny", most=100))
    disk.add(LONG)
    [command, change] = re.findall(r"p4 (move -c (\d+) FILE NEWFILE)", refusal(disk))[0]
    files = {"FILE": f"//depot/{LONG}", "NEWFILE": "//depot/main/short/a.c"}
    disk.p4.run(*(files.get(word, word) for word in command.split()))
    assert disk.p4.run("submit", "-c", change)[-1]["submittedChange"]
    assert disk.p4.run("files", files["NEWFILE"])[0]["change"] == change


def test_an_edit_of_an_existing_file_with_a_long_path_is_allowed(
    warden: Warden, disk: ClientWorkspace
) -> None:
    disk.submit(LONG)
    warden.install(POLICY.format(on_error="deny", most=100))
    disk.p4.run("edit", f"//depot/{LONG}")
    assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]


def test_a_first_level_directory_beyond_the_limit_is_refused(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(POLICY.format(on_error="deny", most=1))
    disk.add("new/a.c")
    assert "(//depot/new/...) is not allowed: //depot would have" in refusal(disk)
    disk.p4.run("revert", "//...")
    disk.add("main/another/a.c")
    assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]


def test_files_of_a_new_directory_are_moved_by_the_command_of_the_refusal(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(POLICY.format(on_error="deny", most=1))
    view = "//depot/... //ws/..."
    disk.p4.save_client({**disk.p4.fetch_client(), "View": [view]})
    disk.add("new/a.c", "new/b/c.c")
    text = refusal(disk)
    [command] = re.findall(r"\n  (p4 move .*)\n", text)
    [submit] = re.findall(r"\nThen: (p4 submit .*)\n", text)
    disk.p4.run(*command.split()[1:])
    assert disk.p4.run(*submit.split()[1:])[-1]["submittedChange"]
    _, source, target = command.rsplit(" ", 2)
    assert source == "//depot/new/..."
    names = [row["depotFile"] for row in disk.p4.run("files", target)]
    assert names == [target.replace("...", name) for name in ("a.c", "b/c.c")]
    place = target.removeprefix("//depot/").removesuffix("...")
    assert (disk.root / place / "b/c.c").read_text() == "text\n"
    assert not (disk.root / "new/a.c").exists()


def test_a_submit_to_an_existing_directory_missing_from_the_facts_is_allowed(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(POLICY.format(on_error="deny", most=1))
    warden.must("off")
    disk.submit("young/a.c")
    warden.must("on")
    disk.add("young/b.c")
    assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]


def test_bad_perforce_settings_of_p4d_itself_do_not_reach_the_judge_of_submits(
    warden: Warden, disk: ClientWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warden.install(POLICY.format(on_error="deny", most=100))
    (tmp_path / "bad").write_text("P4CHARSET=latin1\nP4CLIENT=12345\n")
    bad = {"P4CHARSET": "utf-8", "P4CONFIG": "bad", "P4CLIENT": "12345", "P4HOST": "a/b"}
    for name, value in {**bad, "PWD": str(tmp_path), "P4ENVIRO": str(tmp_path / "bad")}.items():
        monkeypatch.setenv(name, value)
    disk.add("main/a.c")
    assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]
    assert not (warden.home / "decisions.jsonl").exists()


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_an_unreachable_server_gives_the_on_error_answer_and_a_logged_fault(
    warden: Warden, disk: ClientWorkspace, on_error: str
) -> None:
    warden.install(POLICY.format(on_error=on_error, most=100))
    home = str(warden.home)
    server_account.write(home, server_account.read(home) | {"port": "localhost:1"})
    disk.add("main/a.c")
    if on_error == "deny":
        assert "has failed" in refusal(disk)
    else:
        assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]
    assert "localhost:1: the server cannot be reached" in warden.log()[-1]["fault"]


COUNTED = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {name: small-submits, rule: limit_files, mode: enforce, max: 2}
"""


def test_a_submit_of_too_many_files_is_submitted_in_parts_by_the_steps_of_the_refusal(
    warden: Warden, disk: ClientWorkspace
) -> None:
    warden.install(COUNTED)
    disk.add("main/a.c", "main/b.c", "main/c.c")
    text = refusal(disk)
    [change] = re.findall(
        r"1\. p4 change (\d+) \(keep at most 2 of the lines below Files:\)\n", text
    )
    assert f"The submit of your change {change} has more than 2 files; at most 2 are" in text
    assert "p4warden: rule=small-submits limit=2 value=3" in text
    assert f"2. p4 submit -c {change}\n" in text
    assert "3. p4 submit (the other files, again in parts)\n" in text
    form = disk.p4.fetch_change(change)
    form["Files"] = form["Files"][:2]
    disk.p4.save_change(form)
    assert disk.p4.run("submit", "-c", change)[-1]["submittedChange"]
    assert disk.p4.run("submit", "-d", "the rest")[-1]["submittedChange"]
    assert len(disk.p4.run("files", *(f"//depot/main/{name}.c" for name in "abc"))) == 3


def test_a_submit_within_the_limit_is_allowed(warden: Warden, disk: ClientWorkspace) -> None:
    warden.install(COUNTED)
    disk.add("main/a.c", "main/b.c")
    assert disk.p4.run("submit", "-d", "text")[-1]["submittedChange"]
    assert not (warden.home / "decisions.jsonl").exists()
