"""Tests of `p4 shelve` on the sandbox server, and of the triggers that it runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sandbox.test_submit_triggers import asking
from support.servers import Server, errors, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from P4 import P4

    from support.triggers import Install
    from support.workspaces import ClientWorkspace

REFUSED = "Shelve validation failed -- fix problems then try again."


def new_change(p4: P4) -> str:
    form = p4.fetch_change()
    form["Description"] = "to shelve"
    form["Files"] = []
    return str(p4.save_change(form)[0].split()[1])


@pytest.fixture
def change(disk: ClientWorkspace) -> str:
    """Fixture: the number of a changelist with the opened files a.c and b.c."""
    number = new_change(disk.p4)
    disk.add("work/a.c", "work/b.c", change=number)
    return number


def names(p4: P4, *command: str) -> list[str]:
    with p4.at_exception_level(p4.RAISE_ERRORS):
        return [row["depotFile"].rpartition("/")[2] for row in p4.run(*command)]


def test_shelved_files_are_listed_by_their_changelist_and_stay_opened(
    disk: ClientWorkspace, change: str
) -> None:
    p4 = disk.p4
    output = p4.run("shelve", "-c", change)
    assert output[0] == {
        "change": change,
        "depotFile": "//depot/work/a.c",
        "rev": "1",
        "action": "add",
    }
    assert output[-1] == f"Change {change} files shelved."
    assert names(p4, "files", f"//...@={change}") == ["a.c", "b.c"]
    assert names(p4, "files", "-m", "1", f"//...@={change}") == ["a.c"]
    [row] = p4.run("describe", "-S", "-s", change)
    assert row["depotFile"] == ["//depot/work/a.c", "//depot/work/b.c"]
    assert row["action"] == ["add", "add"]
    assert names(p4, "opened", "-a", "-m", "1", "-c", change) == ["a.c"]
    assert not names(p4, "files", "//depot/work/...")


def test_a_shelf_is_overwritten_and_deleted_in_parts(disk: ClientWorkspace, change: str) -> None:
    p4 = disk.p4
    p4.run("shelve", "-c", change, "//depot/work/a.c")
    assert names(p4, "files", f"//...@={change}") == ["a.c"]
    p4.run("shelve", "-f", "-c", change)
    assert names(p4, "files", f"//...@={change}") == ["a.c", "b.c"]
    assert p4.run("shelve", "-d", "-c", change, "//depot/work/b.c") == [
        f"Shelved change {change} partially deleted, still contains 1 file(s)."
    ]
    assert p4.run("shelve", "-d", "-c", change) == [f"Shelved change {change} deleted."]


def test_a_refused_shelve_changes_nothing(
    disk: ClientWorkspace, server: Server, install: Install, change: str
) -> None:
    install(server, 'few shelve-submit //....c "fail not %change% of %user%"')
    text = "\n".join(refusal(disk.p4, "shelve", "-c", change))
    assert REFUSED in text
    assert f"'few' validation failed: not {change} of ann" in text
    assert not names(disk.p4, "files", f"//...@={change}")
    assert names(disk.p4, "opened", "-c", change) == ["a.c", "b.c"]


@pytest.mark.touches("change-files")
def test_opened_lists_the_files_while_a_shelve_waits_for_a_trigger(
    disk: ClientWorkspace, server: Server, install: Install, change: str, tmp_path: Path
) -> None:
    command, file = asking(tmp_path, server)
    install(server, f"ask shelve-submit //... {command}")
    disk.p4.run("shelve", "-c", change)
    answers = json.loads(file.read_text())
    assert [row["depotFile"] for row in answers["opened"][0]] == [
        "//depot/work/a.c",
        "//depot/work/b.c",
    ]
    shown = [row["depotFile"] for row in answers["files"][0]]
    assert shown in ([], ["//depot/work/a.c", "//depot/work/b.c"])
    install(server, f"ask shelve-commit //... {command}")
    disk.p4.run("shelve", "-f", "-c", change)
    assert len(json.loads(file.read_text())["files"][0]) == 2


def test_a_shelve_of_nothing_is_refused(disk: ClientWorkspace) -> None:
    assert "No files to shelve." in errors(disk.p4, "shelve", "-c", new_change(disk.p4))


def test_the_default_changelist_is_shelved_as_a_new_one(disk: ClientWorkspace) -> None:
    disk.add("work/a.c")
    form = disk.p4.fetch_change()
    form["Description"] = "to shelve"
    disk.p4.input = form
    output = disk.p4.run("shelve", "-i")
    number = next(line.split()[1] for line in output if str(line).endswith(" files shelved."))
    assert names(disk.p4, "files", f"//...@={number}") == ["a.c"]
