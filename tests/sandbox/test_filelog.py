"""Tests of the sandbox server's `p4 filelog`, which lists the revisions of files."""

import hashlib

import pytest
from P4 import P4Exception

from support.workspaces import ClientWorkspace

FILE = "//depot/work/a.c"


@pytest.fixture
def history(disk: ClientWorkspace) -> ClientWorkspace:
    """Fixture: a workspace that submitted two files and then an edit and a delete of the first."""
    disk.submit("work/a.c", "work/b.c")
    for command, description in (("edit", "a second change\nin two lines"), ("delete", "gone")):
        disk.p4.run(command, FILE)
        if command == "edit":
            disk.write("work/a.c", "second\n")
        disk.p4.run("submit", "-d", description)
    return disk


def test_filelog_lists_the_newest_revision_first(history: ClientWorkspace) -> None:
    row, other = history.p4.run("filelog", "//depot/work/...")

    assert (row["depotFile"], other["depotFile"]) == (FILE, "//depot/work/b.c")
    assert row["rev"] == ["3", "2", "1"]
    assert row["action"] == ["delete", "edit", "add"]
    assert row["user"] == ["ann"] * 3
    digest = hashlib.md5(b"second\n", usedforsecurity=False).hexdigest().upper()
    assert (row["fileSize"][1], row["digest"][1]) == ("7", digest)


@pytest.mark.parametrize(
    ("arguments", "revisions"),
    [
        ((f"{FILE}#2",), ["2", "1"]),
        (("-m1", FILE), ["3"]),
    ],
)
def test_filelog_is_limited_by_revision_and_by_count(
    history: ClientWorkspace, arguments: tuple[str, ...], revisions: list[str]
) -> None:
    (row,) = history.p4.run("filelog", *arguments)

    assert row["rev"] == revisions


def test_filelog_is_limited_to_one_changelist(history: ClientWorkspace) -> None:
    change = history.p4.run("filelog", FILE)[0]["change"][1]

    (row,) = history.p4.run("filelog", "-c", change, "//depot/work/...")

    assert (row["depotFile"], row["rev"], row["change"]) == (FILE, ["2"], [change])


def test_filelog_of_an_unknown_file_is_a_warning(history: ClientWorkspace) -> None:
    with pytest.raises(P4Exception) as error:
        history.p4.run("filelog", "//depot/work/none")
    assert error.value.warnings == ["//depot/work/none - no such file(s)."]
