"""Tests of `p4 integrate`, `p4 obliterate` and `p4 key` on the sandbox server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from P4 import P4, P4Exception

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import ClientFactory, Server


@pytest.fixture
def p4(server: Server, connect: ClientFactory, tmp_path: Path) -> P4:
    """Fixture: a client of the depot, in which //depot/main has two files."""
    p4 = connect(server, server.super_user, client="ws")
    view = ["//depot/... //ws/..."]
    p4.save_client({"Client": "ws", "Owner": p4.user, "Root": str(tmp_path), "View": view})
    (tmp_path / "fresh").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "fresh" / name).write_text(f"{name}\n")
        p4.run("add", str(tmp_path / "fresh" / name))
    p4.run("submit", "-d", "two files")
    return p4


def test_branched_files_get_the_content_of_their_source(p4: P4, tmp_path: Path) -> None:
    rows = p4.run("integrate", "//depot/fresh/...", "//depot/copy/...")
    assert [(row["fromFile"], row["toFile"], row["action"]) for row in rows] == [
        ("//depot/fresh/a.txt", "//depot/copy/a.txt", "branch"),
        ("//depot/fresh/b.txt", "//depot/copy/b.txt", "branch"),
    ]
    assert (tmp_path / "copy" / "a.txt").read_text() == "a.txt\n"
    p4.run("submit", "-d", "branch")
    assert [row["action"] for row in p4.run("files", "//depot/copy/...")] == ["branch", "branch"]
    assert p4.run("print", "-q", "//depot/copy/b.txt")[-1] == "b.txt\n"


def test_a_virtual_branch_sends_nothing_to_the_client(p4: P4, tmp_path: Path) -> None:
    p4.run("integrate", "-v", "//depot/fresh/...", "//depot/copy/...")
    assert not (tmp_path / "copy").exists()
    assert len(p4.run("opened")) == 2
    p4.run("submit", "-d", "branch")
    assert p4.run("print", "-q", "//depot/copy/a.txt")[-1] == "a.txt\n"


def test_a_preview_and_a_limit_open_less(p4: P4) -> None:
    assert len(p4.run("integrate", "-n", "//depot/fresh/...", "//depot/copy/...")) == 2
    assert p4.run("opened") == []
    assert len(p4.run("integrate", "-v", "-m", "1", "//depot/fresh/...", "//depot/copy/...")) == 1
    p4.run("revert", "//depot/...")
    p4.run("integrate", "-v", "//depot/fresh/...", "//depot/copy/...")
    p4.run("submit", "-d", "branch")
    with pytest.raises(P4Exception, match="all revision\\(s\\) already integrated"):
        p4.run("integrate", "//depot/fresh/...", "//depot/copy/...")


def test_obliterated_files_are_gone_with_their_history(p4: P4) -> None:
    p4.run("obliterate", "//depot/fresh/a.txt")
    assert len(p4.run("files", "//depot/fresh/...")) == 2
    p4.run("obliterate", "-y", "//depot/fresh/a.txt")
    assert [row["depotFile"] for row in p4.run("files", "//depot/fresh/...")] == [
        "//depot/fresh/b.txt"
    ]
    with pytest.raises(P4Exception, match="no such file"):
        p4.run("filelog", "//depot/fresh/a.txt")


@pytest.mark.state(protections="filled")
def test_only_a_super_user_obliterates_and_sets_keys(
    p4: P4, server: Server, connect: ClientFactory
) -> None:
    ann = connect(server, "ann")
    for command in (["obliterate", "-y", "//depot/..."], ["key", "mark", "1"]):
        with pytest.raises(P4Exception, match="You don't have permission"):
            ann.run(*command)
    p4.run("key", "mark", "commit")
    assert ann.run("key", "mark") == [{"key": "mark", "value": "commit"}]
    assert ann.run("key", "other") == [{"key": "other", "value": "0"}]
