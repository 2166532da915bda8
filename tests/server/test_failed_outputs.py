"""Tests that a failed command leaves no half-written file under the name that it was given."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from audit.test_audit import CHECKPOINT
from logs.blocks import done, start
from p4warden import cli
from p4warden.core.errors import P4WardenError
from p4warden.home import public_file
from prove.test_recorded_reports import write_recording
from support.examples import long_but
from support.faults import fail_at_every_step
from support.policies import POLICY
from support.warden import CommandResult

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = start("12:00:01", 1, "user-fstat //depot/...") + done("12:00:01", 1, ".5")
TESTED = """\
cases:
  - name: a whole depot
    view: ["//depot/... //ws/..."]
    verdict: refuse
"""


def run(*words: str) -> CommandResult:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = cli.run([*words])
    return CommandResult(code, output.getvalue())


def old(*names: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        for name in names:
            (folder / name).write_text("old\n")

    return prepare


def load(folder: Path) -> None:
    assert run("log", "load", str(folder / "log"), "--database", str(folder / "log.db")).code == 0


def load_longer(folder: Path) -> None:
    load(folder)
    with (folder / "log").open("a") as log:
        log.write(start("13:00:01", 2, "user-files") + done("13:00:01", 2, ".5"))


def export(folder: Path) -> None:
    """Export a log, and load a longer part of the same log, which another export replaces."""
    pytest.importorskip("pyarrow", reason="no pyarrow: no Parquet files are written")
    load(folder)
    words = ("log", "export", "--database", str(folder / "log.db"), "--parquet")
    assert run(*words, str(folder / "parquet")).code == 0
    load_longer(folder)
    load(folder)


CASES: dict[str, tuple[tuple[str, ...], Callable[[Path], None]]] = {
    "audit": (("audit", "{0}/ckp", "--html", "{0}/page.html"), old("page.html")),
    "index": (("index", "--checkpoint", "{0}/ckp", "--output", "{0}/some.index"), old()),
    "log load": (("log", "load", "{0}/log", "--database", "{0}/log.db"), old()),
    "log load again": (("log", "load", "{0}/log", "--database", "{0}/log.db"), load_longer),
    "log export": (
        ("log", "export", "--database", "{0}/log.db", "--parquet", "{0}/parquet"),
        export,
    ),
    "log report": (
        ("log", "report", "--database", "{0}/log.db", "--html", "{0}/page.html"),
        load,
    ),
    "prove": (
        (
            "prove",
            "--recorded",
            "{0}/report.json",
            "--markdown",
            "{0}/a.md",
            "--json",
            "{0}/b.json",
        ),
        old("a.md"),
    ),
    "test": (("test", "{0}/policy.yaml", "--junit", "{0}/j.xml"), old("j.xml")),
}


def content(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.sampled
@pytest.mark.parametrize("stays_full", long_but([False], [False, True]), ids=["once", "full"])
@pytest.mark.parametrize("name", CASES)
def test_a_command_that_fails_at_any_step_leaves_the_old_files(
    tmp_path: Path, name: str, *, stays_full: bool
) -> None:
    folder, backup = tmp_path / "out", tmp_path / "backup"
    folder.mkdir()
    (folder / "ckp").write_text("\n".join(CHECKPOINT) + "\n", "utf-8")
    (folder / "log").write_text(LOG)
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "policy.cases.yaml").write_text(TESTED)
    write_recording(folder)
    words, prepare = CASES[name]
    prepare(folder)
    shutil.copytree(folder, backup)

    def put_back() -> None:
        shutil.rmtree(folder)
        shutil.copytree(backup, folder)

    fail_at_every_step(
        lambda: run(*(word.format(folder) for word in words)),
        lambda: content(folder),
        put_back,
        stays_full=stays_full,
    )


def test_several_files_are_replaced_all_or_none(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    (second / "in it").mkdir(parents=True)
    with pytest.raises(P4WardenError, match="b: cannot be written"):
        public_file.write_all({str(first): "new", str(second): "new"})
    assert first.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]  # noqa: PTH208


def test_a_folder_for_output_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with pytest.raises(P4WardenError, match="none/b: cannot be written"):
        public_file.write_folder(str(folder), {"a": "text", "none/b": "text"})
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    public_file.write(str(tmp_path / "null"), "text", 0o644)
    assert (tmp_path / "null").is_symlink()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
