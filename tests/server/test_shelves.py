"""Tests of shelves on a server where the rule limit_files judges them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sandbox.test_shelve import names, new_change
from support.servers import refusal

if TYPE_CHECKING:
    from support.triggers import Script
    from support.warden import Warden
    from support.workspaces import ClientWorkspace

# A p4d has one of the two states alone.
pytestmark = pytest.mark.parametrize("server", ["sandbox"], indirect=True)
POLICY = """\
version: 1
contact: "admins@example.com"
on_error: deny
rules:
  - {name: small, rule: limit_files, mode: enforce, max: 2, shelves: true}
"""


@pytest.fixture
def change(warden: Warden, disk: ClientWorkspace) -> str:
    """Fixture: the number of a changelist with three opened files, under the policy."""
    warden.install(POLICY)
    number = new_change(disk.p4)
    disk.add("work/a.c", "work/b.c", "work/c.c", change=number)
    return number


def shelved(disk: ClientWorkspace, change: str) -> int:
    return len(names(disk.p4, "files", f"//...@={change}"))


@pytest.mark.state(change_files="submit")
def test_a_shelve_of_too_many_files_is_shelved_in_parts_by_the_steps_of_the_refusal(
    warden: Warden,
    disk: ClientWorkspace,
    change: str,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "\n".join(refusal(disk.p4, "shelve", "-c", change))
    assert f"The shelf of your change {change} has more than 2 files; at most 2 are" in text
    assert "p4warden: rule=small limit=2 value=3" in text
    assert f"1. p4 change {change} (keep at most 2 of the lines below Files:)\n" in text
    assert f"2. p4 shelve -f -c {change}\n" in text
    assert "3. p4 shelve (the other files, again in parts)\n" in text
    assert shelved(disk, change) == 0
    assert warden.log()[-1]["kind"] == "limit_files"
    form = disk.p4.fetch_change(change)
    form["Files"] = form["Files"][:2]
    disk.p4.save_change(form)
    disk.p4.run("shelve", "-f", "-c", change)
    assert shelved(disk, change) == 2
    monkeypatch.setenv("P4EDITOR", script('sed -i "s/<enter description here>/the rest/" "$1"'))
    output = disk.p4.run("shelve")
    [rest] = re.findall(r"Change (\d+) files shelved\.", "\n".join(map(str, output)))
    assert names(disk.p4, "files", f"//...@={rest}") == ["c.c"]


@pytest.mark.state(change_files="submit")
def test_a_shelve_of_a_part_of_many_opened_files_is_allowed(
    warden: Warden, disk: ClientWorkspace, change: str
) -> None:
    disk.p4.run("shelve", "-c", change, "//depot/work/a.c", "//depot/work/b.c")
    assert shelved(disk, change) == 2
    assert unknown(warden) == 1


@pytest.mark.state(change_files="content")
def test_a_shelve_whose_files_no_command_lists_yet_is_allowed_and_counted(
    warden: Warden, disk: ClientWorkspace, change: str
) -> None:
    disk.p4.run("shelve", "-c", change)
    assert shelved(disk, change) == 3
    assert unknown(warden) == 1
    text = "\n".join(refusal(disk.p4, "shelve", "-f", "-c", change))
    assert "has more than 2 files" in text


def unknown(warden: Warden) -> int:
    """Return how many events were allowed because the number of their files was unknown."""
    return int(warden.counts()["unknown"])
