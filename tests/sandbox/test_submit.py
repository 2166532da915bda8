"""Tests of submits to the sandbox server."""

import pytest
from P4 import P4, P4Exception

from support.servers import ClientFactory, Server
from support.workspaces import ClientWorkspace, submit_fails


def test_submit_stores_all_opened_files_in_one_changelist(disk: ClientWorkspace) -> None:
    disk.add("work/a.c", "work/sub/b.c")

    start_row, a, b, end_row = disk.p4.run("submit", "-d", "two files")

    number = start_row["change"]
    assert start_row["locked"] == "2"
    assert (a["depotFile"], a["action"], a["rev"]) == ("//depot/work/a.c", "add", "1")
    assert b["depotFile"] == "//depot/work/sub/b.c"
    assert end_row == {"submittedChange": number}
    assert disk.p4.run("changes", "-m", "1")[0]["change"] == number
    assert disk.p4.run("opened") == []


def test_submitted_files_are_visible_to_other_users(
    disk: ClientWorkspace, server: Server, connect: ClientFactory
) -> None:
    number = disk.submit("work/new/a.c")
    bob = connect(server, "bob", "none")

    (row,) = bob.run("files", "//depot/work/new/...")
    assert (row["depotFile"], row["rev"], row["change"]) == ("//depot/work/new/a.c", "1", number)
    assert {"dir": "//depot/work/new"} in bob.run("dirs", "//depot/work/*")
    assert bob.run("fstat", "//depot/work/new/a.c")[0]["headChange"] == number
    assert bob.run("print", "-q", "//depot/work/new/a.c")[1] == "text\n"
    assert [r["depotFile"] for r in bob.run("files", f"//...@={number}")] == [row["depotFile"]]


def test_every_submit_adds_a_revision_that_can_be_printed_and_listed(
    disk: ClientWorkspace,
) -> None:
    first = disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    disk.write("work/a.c", "second\n")
    disk.p4.run("submit", "-d", "edit")
    disk.p4.run("delete", "//depot/work/a.c")
    disk.p4.run("submit", "-d", "delete")

    path = "//depot/work/a.c"
    assert disk.p4.run("print", "-q", f"{path}#1")[1] == "text\n"
    assert disk.p4.run("print", "-q", f"{path}#2")[1] == "second\n"
    assert disk.p4.run("print", "-q", f"{path}@{first}")[1] == "text\n"
    assert [r["action"] for r in disk.p4.run("files", path)] == ["delete"]
    with pytest.raises(P4Exception, match=r"a\.c#9 - no file\(s\) at that revision"):
        disk.p4.run("files", f"{path}#9")
    with pytest.raises(P4Exception, match="no such file"):
        disk.p4.run("files", "-e", path)
    disk.submit("work/a.c")
    assert disk.p4.run("files", "-e", path)[0]["rev"] == "4"


def test_binary_content_is_unchanged_by_submit_and_sync(disk: ClientWorkspace) -> None:
    content = bytes(range(256)) * 1000
    path = disk.root / "work" / "a.bin"
    path.parent.mkdir()
    path.write_bytes(content)
    disk.p4.run("add", str(path))
    disk.p4.run("submit", "-d", "bytes")
    disk.p4.run("sync", "//...#none")
    assert not path.exists()

    disk.p4.run("sync")

    assert path.read_bytes() == content
    assert disk.p4.run("print", "-q", "//depot/work/a.bin")[1] == content


def test_submit_with_option_i_submits_the_files_of_a_changelist_form(
    disk: ClientWorkspace,
) -> None:
    disk.add("work/a.c")
    disk.p4.input = {**disk.p4.fetch_change(), "Description": "by form"}

    result = disk.p4.run("submit", "-i")

    number = result[-1]["submittedChange"]
    assert result[0] == f"Change {number} created with 1 open file(s)."
    assert disk.p4.run("describe", "-s", number)[0]["desc"] == "by form\n"


def test_a_pending_changelist_is_renumbered_when_it_is_submitted(disk: ClientWorkspace) -> None:
    disk.add("work/a.c")
    form = {**disk.p4.fetch_change(), "Description": "first to be made"}
    pending = disk.p4.save_change(form)[0].split()[1]
    other = disk.submit("work/b.c")

    assert int(disk.p4.run("submit", "-c", pending)[-1]["submittedChange"]) > int(other)
    with pytest.raises(P4Exception, match=f"Change {pending} unknown"):
        disk.p4.run("describe", "-s", pending)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["-d", "x"], "No files to submit from the default changelist."),
        (["-c", "99999"], "Change 99999 unknown."),
        (["-c", "default"], "Invalid changelist number 'default'."),
    ],
)
def test_submit_without_files_or_with_an_invalid_changelist_is_refused(
    disk: ClientWorkspace, arguments: list[str], error: str
) -> None:
    assert submit_fails(disk, *arguments) == error


def test_submit_of_a_missing_local_file_is_aborted(disk: ClientWorkspace) -> None:
    disk.add("work/a.c")
    (disk.root / "work" / "a.c").unlink()

    with pytest.raises(P4Exception) as error:
        disk.p4.run("submit", "-d", "x")

    number = disk.p4.run("opened")[0]["change"]
    missing, abort_message = error.value.errors
    assert missing == f"open for read: {disk.root}/work/a.c: No such file or directory"
    assert abort_message == (
        f"Submit aborted -- fix problems then use 'p4 submit -c {number}'.\n"
        "Some file(s) could not be transferred from client."
    )


def test_submit_of_an_out_of_date_file_is_refused(disk: ClientWorkspace) -> None:
    disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    other = ClientWorkspace(_second(disk), disk.root.with_name("second"))
    other.p4.run("sync")
    other.p4.run("edit", "//depot/work/a.c")
    other.p4.run("submit", "-d", "theirs")

    error = submit_fails(disk, "-d", "mine")

    number = disk.p4.run("opened")[0]["change"]
    assert error == (
        f"Submit failed -- fix problems above then use 'p4 submit -c {number}'.\n"
        "Out of date files must be resolved or reverted."
    )


def _second(disk: ClientWorkspace) -> P4:
    tickets = disk.p4.ticket_file
    return P4(port=disk.p4.port, user="bob", client="second", ticket_file=tickets).connect()
