"""Tests that the next `index` or `log load` removes what an interrupted one left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from index.generated_server import generated_server
from p4warden import cli
from support.killed_calls import ended
from support.small_index import PROGRAM

LOGS = Path(__file__).parents[1] / "cases" / "logs"


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def dead_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of its own for what is written."""
    folder = tmp_path / "written"
    folder.mkdir()
    server = generated_server(1, folds=False, files=2000)
    (tmp_path / "ckp").write_bytes(server.checkpoint)
    return folder


def index(folder: Path, *words: str) -> int:
    return cli.run(["index", *words, "--output", str(folder / "an index")])


def killed(folder: Path, *words: str) -> set[str]:
    """Kill `p4warden-index` once a file of it has a name; return the names that are left."""
    left: set[str] = set()
    for _ in range(50):
        with subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL) as process:
            while not left and process.poll() is None:
                left = names(folder) - {"an index"}
            process.kill()
        left = names(folder) - {"an index"}
        if left:
            break
    return left


def test_a_killed_index_leaves_nothing_that_the_next_does_not_remove(folder: Path) -> None:
    checkpoint = str(folder.with_name("ckp"))
    left = killed(folder, "build", f"--output={folder}/an index", "--", checkpoint)
    assert left
    assert all(name.startswith("an index.p4warden-") for name in left)
    assert index(folder, "--checkpoint", checkpoint) == 0
    assert names(folder) == {"an index"}


def test_what_another_process_is_writing_stays(folder: Path) -> None:
    (folder / f"an index.p4warden-{dead_process()}.new").write_text("half")
    living = f"an index.p4warden-{os.getppid()}.new"
    (folder / living).write_text("of someone who lives")
    assert index(folder, "--checkpoint", str(folder.with_name("ckp"))) == 0
    assert names(folder) == {"an index", living}


def test_a_killed_load_leaves_nothing_that_the_next_does_not_remove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, temporary = tmp_path / "written", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    words = ["log", "load", str(LOGS / "events.log"), "--database", str(folder / "db")]
    assert cli.run(words) == 0
    left = set()
    calls = ended(lambda: cli.run(words)).calls
    for place in range(1, calls, 1 + calls // 30):
        ended(lambda: cli.run(words), place)
        left |= names(folder)
    assert any(name.endswith(".new") for name in left)
    for ending in ("-journal", "-wal", "-shm"):
        (folder / f"db.p4warden-{dead_process()}.new{ending}").write_text("half")
    assert cli.run(words) == 0
    assert (names(folder), names(temporary)) == ({"db"}, set())
