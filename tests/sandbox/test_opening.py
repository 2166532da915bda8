"""Tests of opening and reverting files on the sandbox server, and of their changelists."""

from pathlib import Path

import pytest
from P4 import P4Exception

from support.servers import Connect, Server
from support.workspaces import Disk


def refusal(disk: Disk, *command: str) -> str:
    with pytest.raises(P4Exception) as refused:
        disk.p4.run(*command)
    return (refused.value.errors or refused.value.warnings)[0]


def opened(disk: Disk, *arguments: str) -> list[tuple[str, str, str]]:
    rows = disk.p4.run("opened", *arguments)
    return [(row["depotFile"], row["action"], row["change"]) for row in rows]


def test_adding(disk: Disk) -> None:
    path = disk.write("work/a.c")

    (row,) = disk.p4.run("add", path)

    assert (row["depotFile"], row["action"], row["type"]) == ("//depot/work/a.c", "add", "text")
    assert opened(disk) == [("//depot/work/a.c", "add", "default")]
    assert disk.p4.run("add", path) == ["//depot/work/a.c#1 - currently opened for add"]


@pytest.mark.parametrize("name", ["work/a.c", "//ws/work/a.c", "//depot/work/a.c"])
def test_three_names_of_one_file(disk: Disk, name: str) -> None:
    disk.write("work/a.c")
    disk.p4.cwd = str(disk.root)

    disk.p4.run("add", name)

    assert opened(disk) == [("//depot/work/a.c", "add", "default")]
    (row,) = disk.p4.run("where", name)
    assert (row["depotFile"], row["path"]) == ("//depot/work/a.c", f"{disk.root}/work/a.c")


def test_the_client_finds_the_type(disk: Disk) -> None:
    path = disk.root / "work" / "a.bin"
    path.parent.mkdir()
    path.write_bytes(bytes(range(256)))

    assert disk.p4.run("add", str(path))[0]["type"] == "binary"
    assert disk.p4.run("add", "-t", "xtext", disk.write("work/b"))[0]["type"] == "xtext"


def test_a_file_that_is_missing_is_taken_for_text(disk: Disk) -> None:
    output, row = disk.p4.run("add", f"{disk.root}/work/a.c")

    assert output == f"{disk.root}/work/a.c - missing, assuming text."
    assert row["type"] == "text"


def test_a_folder_can_not_be_added(disk: Disk) -> None:
    (disk.root / "work" / "sub").mkdir(parents=True)

    assert disk.p4.run("add", f"{disk.root}/work/sub") == [
        f"{disk.root}/work/sub - directory file can't be added."
    ]


def test_names_with_special_characters(disk: Disk) -> None:
    path = disk.write("work/a@1#2%3*.c")

    assert refusal(disk, "add", path) == (
        "Can't add filenames with wildcards [@#%*] in them.\nUse -f option to force add."
    )
    (row,) = disk.p4.run("add", "-f", path)
    assert (row["depotFile"], row["clientFile"]) == ("//depot/work/a%401%232%253%2A.c", path)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("//depot/work/../../a.c", "Relative paths (., ..) not allowed in '{path}'."),
        ("//ws/work/./a.c", "Relative paths (., ..) not allowed in '{path}'."),
        ("//depot/work//a.c", "Null directory (//) not allowed in '{path}'."),
        ("//ws/work/", "Null directory (//) not allowed in '{path}'."),
    ],
)
def test_no_name_leads_elsewhere(disk: Disk, path: str, error: str) -> None:
    assert refusal(disk, "add", path) == error.format(path=path)


def test_what_is_not_in_the_view(disk: Disk, tmp_path: Path) -> None:
    inside, outside = disk.write("other/a.c"), str(tmp_path / "a.c")

    assert refusal(disk, "add", inside) == f"{inside} - file(s) not in client view."
    assert refusal(disk, "add", outside) == (
        f"Path '{outside}' is not under client's root '{disk.root}'."
    )


def test_without_a_client(server: Server, connect: Connect) -> None:
    p4 = connect(server, client="none")

    for command, error in (
        (["add", "a.c"], "Client 'none' unknown - use 'client' command to create it."),
        (["files", "a.c"], "a.c - must create client 'none' to access local files."),
    ):
        with pytest.raises(P4Exception) as refused:
            p4.run(*command)
        assert refused.value.errors == [error]


def test_editing_needs_the_file(disk: Disk) -> None:
    disk.submit("work/a.c")
    path = disk.root / "work" / "a.c"
    assert path.stat().st_mode & 0o200 == 0

    assert disk.p4.run("add", str(path)) == ["//depot/work/a.c - can't add existing file"]
    disk.p4.run("edit", str(path))
    assert path.stat().st_mode & 0o200
    assert opened(disk) == [("//depot/work/a.c", "edit", "default")]

    disk.p4.run("revert", str(path))
    disk.p4.run("sync", f"{path}#none")
    assert refusal(disk, "edit", str(path)) == f"{path} - file(s) not on client."


def test_deleting(disk: Disk) -> None:
    disk.submit("work/a.c")

    disk.p4.run("delete", "//depot/work/a.c")

    assert not (disk.root / "work" / "a.c").exists()
    assert opened(disk) == [("//depot/work/a.c", "delete", "default")]
    assert disk.p4.run("edit", "//depot/work/a.c") == [
        "//depot/work/a.c - can't edit (already opened for delete)"
    ]


def test_a_preview_opens_nothing(disk: Disk) -> None:
    disk.p4.run("add", "-n", disk.write("work/a.c"))

    assert disk.p4.run("opened") == []
    with disk.p4.while_tagged(t=False):
        assert refusal(disk, "opened") == "File(s) not opened on this client."
    assert refusal(disk, "opened", "//...") == "//... - file(s) not opened on this client."


def test_reverting_restores_the_file(disk: Disk) -> None:
    disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    disk.write("work/a.c", "changed\n")

    (row,) = disk.p4.run("revert", "//depot/work/...")

    assert (row["action"], row["oldAction"]) == ("reverted", "edit")
    assert (disk.root / "work" / "a.c").read_text() == "text\n"
    assert refusal(disk, "revert", "//...") == "//... - file(s) not opened on this client."


def test_reverting_an_add_leaves_the_file(disk: Disk) -> None:
    disk.add("work/a.c")

    assert disk.p4.run("revert", "//...")[0]["action"] == "abandoned"
    assert (disk.root / "work" / "a.c").exists()


def test_opened_files_of_others(disk: Disk, server: Server, connect: Connect) -> None:
    disk.add("work/a.c")
    bob = connect(server, "bob", "bobs")

    assert bob.run("opened") == []
    (row,) = bob.run("opened", "-a", "//depot/...")
    assert (row["user"], row["client"], row["clientFile"]) == ("ann", "ws", "//ws/work/a.c")
    with bob.while_tagged(t=False):
        assert bob.run("opened", "-a") == [
            "//depot/work/a.c#1 - add default change (text) by ann@ws"
        ]


def test_a_change_takes_files(disk: Disk) -> None:
    disk.add("work/a.c", "work/b.c")
    form = disk.p4.fetch_change()
    assert (form["Status"], form["Files"]) == ("new", ["//depot/work/a.c", "//depot/work/b.c"])

    form["Description"], form["Files"] = "one of two", ["//depot/work/a.c"]
    (output,) = disk.p4.save_change(form)

    number = output.split()[1]
    assert output == f"Change {number} created with 1 open file(s)."
    assert opened(disk, "-c", number) == [("//depot/work/a.c", "add", number)]
    assert opened(disk, "-c", "default") == [("//depot/work/b.c", "add", "default")]


def test_a_change_is_described_while_it_is_pending(disk: Disk) -> None:
    number = disk.p4.save_change({"Change": "new", "Description": "mine"})[0].split()[1]
    disk.add("work/a.c", change=number)

    (row,) = disk.p4.run("describe", "-s", number)

    assert (row["status"], row["desc"], row["user"]) == ("pending", "mine\n", "ann")
    assert (row["depotFile"], row["action"]) == (["//depot/work/a.c"], ["add"])
    assert [r["change"] for r in disk.p4.run("changes", "-s", "pending")] == [number]
    with disk.p4.while_tagged(t=False):
        (form,) = disk.p4.run("change", "-o", number)
    assert "\nFiles:\n\t//depot/work/a.c\t# add\n" in form


def test_a_change_needs_a_description(disk: Disk) -> None:
    with pytest.raises(P4Exception, match="Change description missing"):
        disk.p4.save_change(disk.p4.fetch_change())


def test_a_change_takes_opened_files_only(disk: Disk) -> None:
    form = {"Change": "new", "Description": "x", "Files": ["//depot/work/a.c"]}
    with pytest.raises(P4Exception, match=r"Can't include file\(s\) not already opened"):
        disk.p4.save_change(form)


def test_a_change_is_its_owners(disk: Disk, server: Server, connect: Connect) -> None:
    number = disk.p4.save_change({"Change": "new", "Description": "mine"})[0].split()[1]
    bob = connect(server, "bob")

    with pytest.raises(P4Exception, match=f"Change {number} belongs to user ann"):
        bob.run("change", "-d", number)
    disk.add("work/a.c", change=number)
    assert disk.p4.run("change", "-d", number) == [
        f"Change {number} has 1 open file(s) associated with it and can't be deleted."
    ]
    disk.p4.run("revert", "//...")
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
def test_changes_that_are_not_there(disk: Disk, command: list[str], error: str) -> None:
    assert refusal(disk, *command) == error


def test_the_number_of_changes_is_the_servers(sandbox: Server, connect: Connect) -> None:
    admin = connect(sandbox, sandbox.super_user)

    for command in (["counter", "change", "x"], ["counter", "-d", "change"]):
        with pytest.raises(P4Exception, match="Too dangerous to touch counter 'change'"):
            admin.run(*command)
