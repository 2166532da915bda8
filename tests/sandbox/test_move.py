"""Tests of `p4 move` on the sandbox server."""

import pytest
from P4 import P4Exception

from support.workspaces import ClientWorkspace


def test_files_opened_for_add_get_another_name(disk: ClientWorkspace) -> None:
    disk.add("work/a.c", "work/b/c.c")
    rows = disk.p4.run("move", "//depot/work/...", "//depot/work/new/...")
    assert rows == [
        "//depot/work/new/a.c#1 - moved from //depot/work/a.c",
        "//depot/work/new/b/c.c#1 - moved from //depot/work/b/c.c",
    ]
    opened = [(row["depotFile"], row["action"]) for row in disk.p4.run("opened")]
    assert opened == [("//depot/work/new/a.c", "add"), ("//depot/work/new/b/c.c", "add")]
    assert (disk.root / "work/new/b/c.c").read_text() == "text\n"
    assert not (disk.root / "work/a.c").exists()


def test_a_name_outside_the_view_is_not_taken(disk: ClientWorkspace) -> None:
    disk.add("work/a.c")
    with pytest.raises(
        P4Exception, match=r"//depot/elsewhere/a\.c - file\(s\) not in client view"
    ):
        disk.p4.run("move", "//depot/work/a.c", "//depot/elsewhere/a.c")
    assert [row["depotFile"] for row in disk.p4.run("opened")] == ["//depot/work/a.c"]


def test_files_that_exist_are_not_moved(disk: ClientWorkspace) -> None:
    disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    with pytest.raises(P4Exception, match="p4 move of files that exist"):
        disk.p4.run("move", "//depot/work/a.c", "//depot/work/b.c")
