"""Tests of the sandbox server's `p4 sync`, which sends files to the client."""

import pytest
from P4 import OutputHandler, P4Exception, Progress

from support.servers import ClientFactory, Server
from support.workspaces import ClientWorkspace


def synced(disk: ClientWorkspace, *arguments: str) -> list[tuple[str, str, str]]:
    rows = disk.p4.run("sync", *arguments)
    return [(row["depotFile"], row["rev"], row["action"]) for row in rows]


@pytest.fixture
def second(disk: ClientWorkspace, server: Server, connect: ClientFactory) -> ClientWorkspace:
    """Fixture: bob's client workspace, which maps the same depot files as the first workspace."""
    return ClientWorkspace(connect(server, "bob", "second"), disk.root.with_name("second"))


def test_sync_adds_updates_and_deletes_files_on_the_client(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c", "work/sub/b.c")

    assert synced(second) == [
        ("//depot/work/a.c", "1", "added"),
        ("//depot/work/sub/b.c", "1", "added"),
    ]
    assert (second.root / "work" / "sub" / "b.c").read_text() == "text\n"
    assert [row["haveRev"] for row in second.p4.run("have")] == ["1", "1"]

    disk.p4.run("edit", "//depot/work/a.c")
    disk.p4.run("delete", "//depot/work/sub/b.c")
    disk.write("work/a.c", "second\n")
    disk.p4.run("submit", "-d", "x")
    assert sorted(synced(second)) == [
        ("//depot/work/a.c", "2", "updated"),
        ("//depot/work/sub/b.c", "1", "deleted"),
    ]
    assert (second.root / "work" / "a.c").read_text() == "second\n"
    assert not (second.root / "work" / "sub" / "b.c").exists()


def test_sync_of_up_to_date_files_is_a_warning(disk: ClientWorkspace) -> None:
    disk.submit("work/a.c")

    with pytest.raises(P4Exception) as error:
        disk.p4.run("sync", "//depot/work/...")
    assert error.value.warnings == ["//depot/work/... - file(s) up-to-date."]


def test_sync_with_option_n_sends_no_file(disk: ClientWorkspace, second: ClientWorkspace) -> None:
    disk.submit("work/a.c")

    assert synced(second, "-n") == [("//depot/work/a.c", "1", "added")]
    assert not (second.root / "work").exists()
    with pytest.raises(P4Exception, match=r"file\(s\) not on client"):
        second.p4.run("have")


class OutputRecorder(Progress, OutputHandler):
    """Recorder of the progress calls and tagged rows that P4Python receives from one command."""

    def __init__(self) -> None:
        Progress.__init__(self)
        OutputHandler.__init__(self)
        self.rows: list[dict[str, str]] = []
        self.steps: list[object] = []

    def outputStat(self, h: dict[str, str]) -> int:  # noqa: N802 - P4Python's name
        self.rows.append(h)
        return OutputHandler.HANDLED

    def setTotal(self, total: int) -> None:  # noqa: N802 - P4Python's name
        self.steps.append(("total", total))

    def update(self, position: int) -> None:
        self.steps.append(position)

    def done(self, fail: int) -> None:
        self.steps.append(("done", fail))


def test_sync_with_option_q_reports_progress_and_totals_without_file_rows(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c", "work/b.c")
    progress = OutputRecorder()

    second.p4.run("sync", "-q", progress=progress, handler=progress)

    assert progress.steps == [("total", 2), 1, 2, ("done", 1)]
    assert [(row["totalFileCount"], row["totalFileSize"]) for row in progress.rows] == [
        ("2", "10")
    ]
    assert second.p4.run("sync", "-q", "-f") == []
    assert (second.root / "work" / "b.c").exists()


def test_limitmap_variables_limit_the_next_sync_to_their_paths(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/one/a.c", "work/two/b.c", "work/three/c.c")

    second.p4.set_var("limitMap0", "//depot/work/one/...")
    second.p4.set_var("limitMap1", "//depot/work/two/...")

    assert [row[0][13:] for row in synced(second)] == ["one/a.c", "two/b.c"]
    assert [row[0][13:] for row in synced(second)] == ["three/c.c"]
    second.p4.set_var("limitMap0", "//depot/work/one/...")
    (deleted_row,) = synced(second, "//...#none")
    assert deleted_row == ("//depot/work/one/a.c", "1", "deleted")


def test_sync_with_option_k_updates_the_have_list_and_writes_no_file(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c")

    synced(second, "-k")

    assert not (second.root / "work").exists()
    assert second.p4.run("have")[0]["path"] == f"{second.root}/work/a.c"


def test_sync_with_option_f_restores_a_deleted_local_file(disk: ClientWorkspace) -> None:
    disk.submit("work/a.c")
    (disk.root / "work" / "a.c").unlink()

    assert synced(disk, "-f", "//depot/work/a.c") == [("//depot/work/a.c", "1", "refreshed")]
    assert (disk.root / "work" / "a.c").read_text() == "text\n"


def test_sync_to_a_revision_adds_updates_or_deletes_the_file(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    first = disk.submit("work/a.c")
    disk.p4.run("edit", "//depot/work/a.c")
    disk.p4.run("submit", "-d", "x")

    assert synced(second, "//depot/work/a.c#1") == [("//depot/work/a.c", "1", "added")]
    assert synced(second, f"//...@{int(first) + 1}") == [("//depot/work/a.c", "2", "updated")]
    assert synced(second, "//...#none") == [("//depot/work/a.c", "2", "deleted")]


def test_sync_does_not_change_an_opened_file(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c")
    second.p4.run("sync")
    disk.p4.run("edit", "//depot/work/a.c")
    second.p4.run("edit", "//depot/work/a.c")
    disk.p4.run("submit", "-d", "x")

    assert second.p4.run("sync")[0] == "//depot/work/a.c#1 - is opened and not being changed"
    assert second.p4.run("have")[0]["haveRev"] == "1"


@pytest.mark.parametrize(
    ("path", "warning"),
    [
        ("//depot/none/...", "//depot/none/... - no such file(s)."),
        ("//depot/work/a.c#9", "//depot/work/a.c#9 - no file(s) at that revision."),
        ("//depot/other/...", "//depot/other/... - file(s) not in client view."),
    ],
)
def test_sync_of_unknown_or_unmapped_files_is_a_warning(
    disk: ClientWorkspace, server: Server, connect: ClientFactory, path: str, warning: str
) -> None:
    disk.submit("work/a.c")
    wide = {"Client": "wide", "Root": str(disk.root), "View": ["//depot/... //wide/..."]}
    other = connect(server, client="wide")
    other.save_client(wide)
    other.run("add", disk.write("other/a.c"))
    other.run("submit", "-d", "x")

    with pytest.raises(P4Exception) as error:
        disk.p4.run("sync", path)
    assert error.value.warnings == [warning]


def test_untagged_sync_have_and_where_output_is_a_line_for_each_file(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c")

    with second.p4.while_tagged(t=False):
        assert second.p4.run("sync") == [f"//depot/work/a.c#1 - added as {second.root}/work/a.c"]
        assert second.p4.run("have") == [f"//depot/work/a.c#1 - {second.root}/work/a.c"]
        assert second.p4.run("where", "//depot/work/...") == [
            f"//depot/work/... //second/work/... {second.root}/work/..."
        ]


def test_sync_with_option_m_limits_the_files_but_not_the_total(
    disk: ClientWorkspace, second: ClientWorkspace
) -> None:
    disk.submit("work/a.c", "work/b.c")

    first = second.p4.run("sync", "-n", "-m", "1")

    assert [(row["depotFile"], row["totalFileCount"]) for row in first] == [
        ("//depot/work/a.c", "2")
    ]
