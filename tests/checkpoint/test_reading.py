"""Tests of reading a checkpoint and its journals: each file is opened once by each command."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden import cli
from p4warden.workbench.checkpoint.reading import Sources, indexed
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.checkpoint.table_list import tables
from support.checkpoint_tables import small_tables_of
from support.examples import long_but
from support.whole_checkpoint import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROGRAM = Path(sys.executable).with_name("p4warden")
BY_POLICY = ["--policy", "default", "--home", "none", "--checkpoint"]
RECORDS = (
    "@pv@ 1 @db.depot@ @depot@ 0 @subdir@ @depot/...@ \n"
    "@pv@ 6 @db.domain@ @ws@ 99 @@ @/r@ @@ @@ @ann@ 1 1500000000 0 @Text.@ @@ @@ 0 \n"
    "@pv@ 1 @db.view@ @ws@ 0 0 @//ws/...@ @//depot/...@ \n"
    "@pv@ 3 @db.have@ @//ws/b@ @//depot/b@ 1 0 0 \n"
    "@pv@ 3 @db.have@ @//ws/a@ @//depot/a@ 1 0 0 \n"
    "@pv@ 9 @db.rev@ @//depot/a@ 1 0 0 1 1 1 @00@ 0 0 0 @//depot/a@ @1.1@ 0 \n"
    "@pv@ 9 @db.revhx@ @//depot/a@ 1 0 0 1 1 1 @00@ 0 0 0 @//depot/a@ @1.1@ 0 \n"
)
JOURNALS = (
    """\
@nx@ 2 1573645400 @41@ 0 0 0 0 0 @@ @@ @@ @@
@pv@ 9 @db.revhx@ @//depot/longer@ 1 0 0 1 1 1 @00@ 0 0 0 @//depot/a@ @1.1@ 0
""",
    """\
@nx@ 2 1573645500 @41@ 0 0 0 0 0 @@ @@ @@ @@
@pv@ 9 @db.group@ @ann@ @dev@ 1 0 5 0 0 0 0
""",
)
COMMANDS = {
    "tune": ["tune", "--json", "--home", "none", "--checkpoint"],
    "census": ["census", "--csv", *BY_POLICY],
    "census with views": ["census", "--json", "--rightsize", *BY_POLICY],
    "rightsize": ["rightsize", "--json", "--wide", *BY_POLICY],
    "recent use": ["rightsize", "--keep=used", "--since=2019-11-01", "--client=ws", *BY_POLICY],
    "audit": ["audit", "--json"],
}


def opened_once(path: Path, content: bytes) -> threading.Thread:
    """Make a pipe that disappears when it was opened, so that nothing can open it again."""
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb") as to:
            path.unlink()
            with contextlib.suppress(BrokenPipeError):
                to.write(content)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("compressed", [bytes, gzip.compress])
def test_each_file_is_opened_once(
    command: str,
    compressed: Callable[[bytes], bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    contents = [text.encode() for text in (whole(RECORDS), *JOURNALS)]
    paths = [tmp_path / name for name in ("checkpoint", "journal.1", "journal.2")]
    words = [*COMMANDS[command], *map(str, paths)]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    assert cli.run(words) == 0
    expected = capsys.readouterr()
    for path in paths:
        path.unlink()
    stored = map(compressed, contents)
    threads = [opened_once(*one) for one in zip(paths, stored, strict=True)]
    assert cli.run(words) == 0
    for thread in threads:
        thread.join()
    assert capsys.readouterr() == expected


@pytest.mark.parametrize("command", long_but(["census"], COMMANDS))
def test_a_checkpoint_is_read_from_standard_input(command: str) -> None:
    process = subprocess.run(
        [PROGRAM, *COMMANDS[command], "/dev/stdin"],
        input=whole(RECORDS).encode(),
        capture_output=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout


@pytest.fixture
def small() -> Iterator[SmallTables]:
    with contextlib.closing(SmallTables(tables())) as small:
        yield small


def test_the_index_is_built_in_the_same_pass(small: SmallTables, tmp_path: Path) -> None:
    file, journal, index = (tmp_path / name for name in ("checkpoint", "journal", "index"))
    file.write_text(whole(RECORDS))
    journal.write_text(JOURNALS[0] + "@pv@ 1 @db.view@ @ws@ 1")
    progress: list[tuple[int, int]] = []
    sources = Sources([str(file)], [str(journal)])
    with indexed(sources, small, lambda *at: progress.append(at), str(index)) as built:
        [note] = built.program.notes()
    assert "the last record is incomplete and was left out" in note
    assert index.is_file()
    assert small.longest_paths == [("//depot/longer", 14), ("//depot/a", 9)]
    total = file.stat().st_size + journal.stat().st_size
    assert progress[-1] == (total, total)
    assert [(Path(one.path).name, one.began_s) for one in small.files] == [
        ("checkpoint", 1573645381),
        ("journal", 1573645400),
    ]


@pytest.mark.parametrize("name", ["WS", "ws"])
def test_names_fold_as_the_order_of_the_records_shows(
    small: SmallTables, tmp_path: Path, name: str
) -> None:
    rows = "".join(
        f"@pv@ 6 @db.domain@ @{word}@ 99 @@ @/r@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n"
        for word in ("a", "B", "Ws")
    )
    file, journal = tmp_path / "checkpoint", tmp_path / "journal"
    file.write_text(whole(rows))
    journal.write_text(
        rows.splitlines(keepends=True)[2].replace("@pv@", "@dv@").replace("Ws", name)
    )
    sources = Sources([str(file)], [str(journal)])
    with indexed(sources, small, lambda *_: None, str(tmp_path / "index")):
        pass
    assert [row for (row,) in small.rows("select name from domain order by key")] == ["a", "B"]


@pytest.mark.parametrize("name", list(tables()))
def test_each_table_of_the_list_is_read(name: str, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    file.write_text(whole(f"@pv@ 99 @db.{name}@ \n"))
    with small_tables_of(str(file)) as small:
        assert small.unread == {(name, 99): 1}
