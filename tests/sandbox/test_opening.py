"""Tests of opening and reverting files on the sandbox server, and of their changelists."""

from pathlib import Path

import pytest
from P4 import P4Exception

from support.servers import ClientFactory, Server
from support.workspaces import ClientWorkspace


def refusal(disk: ClientWorkspace, *command: str) -> str:
    with pytest.raises(P4Exception) as error:
        disk.p4.run(*command)
    return (error.value.errors or error.value.warnings)[0]


def opened(disk: ClientWorkspace, *arguments: str) -> list[tuple[str, str, str]]:
    rows = disk.p4.run("opened", *arguments)
    return [(row["depotFile"], row["action"], row["change"]) for row in rows]


def test_an_added_file_is_opened_for_add_in_the_default_changelist(disk: ClientWorkspace) -> None:
    path = disk.write("work/a.c")

    (row,) = disk.p4.run("add", path)

    assert (row["depotFile"], row["action"], row["type"]) == ("//depot/work/a.c", "add", "text")
    assert opened(disk) == [("//depot/work/a.c", "add", "default")]


@pytest.mark.parametrize("name", ["work/a.c", "//ws/work/a.c", "//depot/work/a.c"])
def test_add_accepts_local_client_and_depot_paths(disk: ClientWorkspace, name: str) -> None:
    disk.write("work/a.c")
    disk.p4.cwd = str(disk.root)

    disk.p4.run("add", name)

    assert opened(disk) == [("//depot/work/a.c", "add", "default")]
    (row,) = disk.p4.run("where", name)
    assert (row["depotFile"], row["path"]) == ("//depot/work/a.c", f"{disk.root}/work/a.c")


def test_the_file_type_is_detected_by_the_client_or_set_by_option_t(disk: ClientWorkspace) -> None:
    path = disk.root / "work" / "a.bin"
    path.parent.mkdir()
    path.write_bytes(bytes(range(256)))

    assert disk.p4.run("add", str(path))[0]["type"] == "binary"
    assert disk.p4.run("add", "-t", "xtext", disk.write("work/b"))[0]["type"] == "xtext"


def test_adding_a_missing_file_assumes_type_text_with_a_note(disk: ClientWorkspace) -> None:
    output, row = disk.p4.run("add", f"{disk.root}/work/a.c")

    assert output == f"{disk.root}/work/a.c - missing, assuming text."
    assert row["type"] == "text"


def test_adding_a_directory_is_refused(disk: ClientWorkspace) -> None:
    (disk.root / "work" / "sub").mkdir(parents=True)

    assert disk.p4.run("add", f"{disk.root}/work/sub") == [
        f"{disk.root}/work/sub - directory file can't be added."
    ]


def test_adding_a_file_outside_the_client_view_or_root_is_refused(
    disk: ClientWorkspace, tmp_path: Path
) -> None:
    inside, outside = disk.write("other/a.c"), str(tmp_path / "a.c")

    assert refusal(disk, "add", inside) == f"{inside} - file(s) not in client view."
    assert refusal(disk, "add", outside) == (
        f"Path '{outside}' is not under client's root '{disk.root}'."
    )


def test_local_paths_need_an_existing_client(server: Server, connect: ClientFactory) -> None:
    p4 = connect(server, client="none")

    for command, error in (
        (["add", "a.c"], "Client 'none' unknown - use 'client' command to create it."),
        (["files", "a.c"], "a.c - must create client 'none' to access local files."),
    ):
        with pytest.raises(P4Exception) as failure:
            p4.run(*command)
        assert failure.value.errors == [error]


def test_edit_makes_a_file_writable(
    disk: ClientWorkspace,
) -> None:
    disk.submit("work/a.c")
    path = disk.root / "work" / "a.c"
    assert path.stat().st_mode & 0o200 == 0

    disk.p4.run("edit", str(path))
    assert path.stat().st_mode & 0o200
    assert opened(disk) == [("//depot/work/a.c", "edit", "default")]


def test_delete_removes_the_local_file_and_opens_the_file_for_delete(
    disk: ClientWorkspace,
) -> None:
    disk.submit("work/a.c")

    disk.p4.run("delete", "//depot/work/a.c")

    assert not (disk.root / "work" / "a.c").exists()
    assert opened(disk) == [("//depot/work/a.c", "delete", "default")]


def test_add_with_option_n_opens_no_file(disk: ClientWorkspace) -> None:
    disk.p4.run("add", "-n", disk.write("work/a.c"))

    assert disk.p4.run("opened") == []


def test_revert_restores_the_content_of_an_edited_file(disk: ClientWorkspace) -> None:
    disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    disk.write("work/a.c", "changed\n")

    (row,) = disk.p4.run("revert", "//depot/work/...")

    assert (row["action"], row["oldAction"]) == ("reverted", "edit")
    assert (disk.root / "work" / "a.c").read_text() == "text\n"
    assert refusal(disk, "revert", "//...") == "//... - file(s) not opened on this client."


def test_revert_of_an_added_file_keeps_the_local_file(disk: ClientWorkspace) -> None:
    disk.add("work/a.c")

    assert disk.p4.run("revert", "//...")[0]["action"] == "abandoned"
    assert (disk.root / "work" / "a.c").exists()


def test_opened_with_option_a_lists_files_of_other_users(
    disk: ClientWorkspace, server: Server, connect: ClientFactory
) -> None:
    disk.add("work/a.c")
    bob = connect(server, "bob", "bobs")

    assert bob.run("opened") == []
    (row,) = bob.run("opened", "-a")
    assert (row["user"], row["client"], row["clientFile"]) == ("ann", "ws", "//ws/work/a.c")
    with bob.while_tagged(t=False):
        assert bob.run("opened", "-a") == [
            "//depot/work/a.c#1 - add default change (text) by ann@ws"
        ]


def test_a_new_changelist_contains_the_files_chosen_in_its_form(disk: ClientWorkspace) -> None:
    disk.add("work/a.c", "work/b.c")
    form = disk.p4.fetch_change()
    assert (form["Status"], form["Files"]) == ("new", ["//depot/work/a.c", "//depot/work/b.c"])

    form["Description"], form["Files"] = "one of two", ["//depot/work/a.c"]
    (output,) = disk.p4.save_change(form)

    number = output.split()[1]
    assert output == f"Change {number} created with 1 open file(s)."
    assert opened(disk, "-c", number) == [("//depot/work/a.c", "add", number)]
    assert opened(disk, "-c", "default") == [("//depot/work/b.c", "add", "default")]


def test_describe_shows_a_pending_changelist_with_its_files(disk: ClientWorkspace) -> None:
    number = disk.p4.save_change({"Change": "new", "Description": "mine"})[0].split()[1]
    disk.add("work/a.c", change=number)

    (row,) = disk.p4.run("describe", "-s", number)

    assert (row["status"], row["desc"], row["user"]) == ("pending", "mine\n", "ann")
    assert (row["depotFile"], row["action"]) == (["//depot/work/a.c"], ["add"])
    assert [r["change"] for r in disk.p4.run("changes", "-s", "pending")] == [number]
    with disk.p4.while_tagged(t=False):
        (form,) = disk.p4.run("change", "-o", number)
    assert "\nFiles:\n\t//depot/work/a.c\t# add\n" in form


def test_a_changelist_with_a_file_that_is_not_opened_is_refused(disk: ClientWorkspace) -> None:
    form = {"Change": "new", "Description": "x", "Files": ["//depot/work/a.c"]}
    with pytest.raises(P4Exception, match=r"Can't include file\(s\) not already opened"):
        disk.p4.save_change(form)


def test_a_changelist_can_be_deleted(
    disk: ClientWorkspace,
) -> None:
    number = disk.p4.save_change({"Change": "new", "Description": "mine"})[0].split()[1]
    assert disk.p4.run("change", "-d", number) == [f"Change {number} deleted."]


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (["change", "-o", "99999"], "Change 99999 unknown."),
        (["describe", "-s", "99999"], "Change 99999 unknown."),
        (["add", "-c", "99999", "work/a.c"], "Change 99999 unknown."),
        (["describe", "-s", "x"], "Invalid changelist number 'x'."),
    ],
)
def test_unknown_and_invalid_changelist_numbers_are_refused(
    disk: ClientWorkspace, command: list[str], error: str
) -> None:
    assert refusal(disk, *command) == error
