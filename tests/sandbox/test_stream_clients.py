"""Tests of clients in stream depots: which files they submit, and LimitView."""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox, ServerVersion, Settings
from support.servers import ClientFactory
from support.workspaces import ClientWorkspace

APP = "//streams/main/src/app.c"


def with_view(disk: ClientWorkspace, **fields: object) -> None:
    """Save the client again with other fields, and sync."""
    disk.p4.save_client({**disk.p4.fetch_client(), **fields})
    disk.p4.run("sync")


def test_a_file_of_a_stream_opened_from_a_classic_client_cannot_be_submitted(
    disk: ClientWorkspace,
) -> None:
    with_view(disk, View=["//streams/main/... //ws/main/..."])

    rows = disk.p4.run("edit", APP)

    assert rows[0]["action"] == "edit"
    assert rows[1:] == [f"{APP} - warning: cannot submit from non-stream client"]
    with pytest.raises(P4Exception):
        disk.p4.run("submit", "-d", "edit")
    assert disk.p4.run("opened")[0]["depotFile"] == APP


def test_a_client_of_the_stream_submits_its_files(disk: ClientWorkspace) -> None:
    with_view(disk, Stream="//streams/main")

    assert len(disk.p4.run("edit", APP)) == 1
    assert "submittedChange" in disk.p4.run("submit", "-d", "edit")[-1]


@pytest.mark.parametrize(
    ("limit", "mapped"),
    [
        (["//streams/main/src/..."], [APP]),
        (["//ws/src/..."], [APP]),
        (["//streams/main/doc/..."], []),
        (["//streams/main/...", "-//streams/main/src/..."], []),
        (["//streams/main/...", "-//streams/main/src/...", "//streams/main/src/app.c"], [APP]),
        ([], [APP]),
    ],
)
def test_a_limit_view_leaves_out_files_of_the_stream(
    connect: ClientFactory, limit: list[str], mapped: list[str]
) -> None:
    with Sandbox(Settings(server_version=ServerVersion(2025, 2))) as sandbox:
        p4 = connect(sandbox)
        form = {**p4.fetch_client("-S", "//streams/main", "ws"), "LimitView": limit}
        p4.save_client(form)
        assert p4.fetch_client("ws")["View"] == ["//streams/main/... //ws/..."]
        with p4.at_exception_level(P4.RAISE_NONE):
            files = p4.run("fstat", "//ws/...")
    assert [file["depotFile"] for file in files] == mapped


def test_a_limit_view_has_paths_of_one_kind(connect: ClientFactory) -> None:
    with Sandbox(Settings(server_version=ServerVersion(2025, 2))) as sandbox:
        p4 = connect(sandbox)
        form = p4.fetch_client("-S", "//streams/main", "ws")
        with pytest.raises(P4Exception, match="not a mix of both"):
            p4.save_client({**form, "LimitView": ["//streams/main/a/...", "//ws/b/..."]})


@pytest.mark.parametrize(("release", "is_there"), [("2025.1", False), ("2025.2", True)])
def test_client_forms_have_a_limit_view_from_release_2025_2_on(
    connect: ClientFactory, release: str, *, is_there: bool
) -> None:
    with Sandbox(Settings(server_version=ServerVersion.of(release))) as sandbox:
        fields = connect(sandbox).run("spec", "-o", "client")[0]["Fields"]
    assert any(field.split()[1] == "LimitView" for field in fields) is is_there
