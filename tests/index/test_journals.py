"""Tests of `p4warden-index update` with rotated, truncated, replaced or damaged journals."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from index.conftest import problem, rows, run
from index.journal_text import ex, files, small, update

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["small"]


def test_update_reads_rotated_journals_before_the_current_journal(
    small: tuple[Path, Path],
) -> None:
    index, journal = small
    texts = [files(f"//depot/new{number}", 600) + ex(number) for number in range(4)]
    journal.write_text(texts[0][:-30])
    folder = journal.with_name("rotated")
    folder.mkdir()
    prefix = f"--rotated={folder}/p4.jnl"
    journal.write_text(texts[0])
    update(index, journal, prefix)
    (folder / "p4.jnl.9.gz").write_bytes(gzip.compress((texts[0] + texts[1]).encode()))
    (folder / "p4.jnl.10").write_text(texts[2])
    (folder / "p4.jnl.8").write_text("@ex@ 1 1\n")
    journal.write_text(texts[3])
    assert update(index, journal, prefix)["transactions"] == 3
    counts = rows("count", index, *[f"//depot/new{number}/..." for number in range(4)])
    assert [row["files"] for row in counts] == [600] * 4


@pytest.mark.parametrize("fault", ["replaced", "cut", "gap", "gone"])
def test_update_reports_a_journal_that_does_not_continue_and_keeps_the_delta(
    small: tuple[Path, Path], fault: str
) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    before = index.with_name("index.delta").read_bytes()
    if fault == "replaced":
        journal.write_text(files("//depot/old", 900) + ex())
    elif fault == "cut":
        journal.write_text(files("//depot/new", 600)[:-100])
    elif fault == "gap":
        journal.rename(journal.with_name("journal.4"))
        journal.with_name("journal.6").write_text(ex())
        journal.write_text(ex())
    else:
        journal.unlink()
    message = problem("update", index, f"--journal={journal}")
    expected = {"gap": "the journal after it is missing", "gone": "No such file"}
    assert expected.get(fault, "continues where the last update stopped") in message
    assert index.with_name("index.delta").read_bytes() == before
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600


def test_a_rebuilt_index_ignores_the_old_delta(small: tuple[Path, Path], tmp_path: Path) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    rows("build", "--output", index, f"--journal={journal}", tmp_path / "ckp")
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600
    journal.write_text(journal.read_text() + files("//depot/newer", 800) + ex(200))
    assert update(index, journal)["transactions"] == 1
    counts = rows("count", index, "//depot/new/...", "//depot/newer/...", "//depot/...")
    assert [row["files"] for row in counts] == [600, 800, 5400]


@pytest.mark.parametrize("size", [0, 30, -40, -1])
def test_update_rebuilds_a_damaged_delta(small: tuple[Path, Path], size: int) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 600) + ex())
    update(index, journal)
    delta = index.with_name("index.delta")
    delta.write_bytes(delta.read_bytes()[:size])
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 0
    update(index, journal)
    (row,) = rows("count", index, "//depot/new/...")
    assert row["files"] == 600


def test_update_reports_a_journal_without_a_complete_transaction(small: tuple[Path, Path]) -> None:
    index, journal = small
    assert "contains no complete transaction yet; try again later" in problem(
        "update", index, f"--journal={journal}"
    )
    assert run("update", index).returncode == 2


def test_damage_in_a_journal_is_reported_with_its_byte_offset(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(ex() + "@pv@ 9 @db.rev@ @//depot/a@ x 0 \n" + ex())
    place = len(ex())
    assert f"byte {place}: a record's values" in problem("update", index, f"--journal={journal}")
