"""Tests of `p4warden-index update`: an index's numbers of files and revisions after journals."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from index.conftest import built, rows
from index.exact_counts import ExactCounts
from index.generated_server import generated_server
from index.journal_text import STEP, domain, ex, files, line, small, spans, update
from index.test_counts import MAKE, sample
from support.examples import long_but

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["small"]


NEW_VIEWS = ("ws2", "ws4", "ws8", "WS11", "wide")


def changed_clients() -> bytes:
    """Return a journal of new views, a new client, and clients of which only the roots changed."""
    text = "".join(line(name, 0, "//depot/lib/...", "rv") for name in ("ws8", "WS11"))
    text += domain("wide") + line("wide", 0, "//depot/...")
    text += "".join(domain(f"WS{number}") for number in range(13, 60, 2))
    return (text + ex()).encode()


def check_clients(index: Path, built_later: Path, names: Iterable[str]) -> None:
    """Check an updated index: each known client spans as much as in an index built later.

    The totals of views that were not changed are exact; a new view is estimated by its ranges.
    """
    for name in names:
        (estimate,) = rows("estimate", index, f"--client={name}")
        (expected,) = rows("estimate", built_later, f"--client={name}")
        error = 10 * STEP if name in NEW_VIEWS else 0
        for table in ("files", "revisions"):
            if expected[table]:
                assert estimate[table] == pytest.approx(expected[table], abs=error), (name, table)


@pytest.mark.parametrize(("folds", "twice"), [(False, False), (True, True)])
@pytest.mark.parametrize("seed", long_but([1], [1, 2]))
@pytest.mark.sampled
def test_updates_with_journal_parts_give_the_counts_of_the_whole_journal(
    tmp_path: Path, *, seed: int, folds: bool, twice: bool
) -> None:
    server = generated_server(seed, folds=folds, twice=twice)
    checkpoint, whole_journal = tmp_path / "ckp", tmp_path / "whole"
    checkpoint.write_bytes(server.checkpoint)
    text = changed_clients() + server.journal + ex(9000).encode()
    whole_journal.write_bytes(text)
    index = built(tmp_path, checkpoint)
    (tmp_path / "later").mkdir()
    later_index = built(tmp_path / "later", checkpoint, whole_journal)
    journal, rnd = tmp_path / "journal", random.Random(seed)  # noqa: S311 - reproducible test data
    offsets = sorted([*(rnd.randrange(len(text)) for _ in range(6)), len(text)])
    start, number = 0, 0
    for end in offsets:
        journal.write_bytes(text[start:end])
        update(index, journal)
        if rnd.random() < 0.4:
            boundary = text.rfind(b"\n@ex@", start, end)
            if boundary > start:
                boundary = text.index(b"\n", boundary + 1) + 1
                journal.write_bytes(text[start:boundary])
                rotated_journal = tmp_path / f"journal.{number}"
                rotated_journal.write_bytes(text[start:boundary])
                start, number = boundary, number + 1
                journal.write_bytes(text[start:end])
                update(index, journal)
    with contextlib.closing(ExactCounts([checkpoint, whole_journal], folds=folds)) as exact:
        paths, exact_clients = sample(exact.revisions.paths, seed), exact.clients()
        for answer in rows("count", index, "-", text="\n".join(paths) + "\n"):
            files, revisions = exact.count(answer["path"])
            assert abs(answer["files"] - files) < STEP, answer
            assert abs(answer["revisions"] - revisions) < STEP, answer
    check_clients(index, later_index, exact_clients)


def test_counts_after_an_update_include_the_files_of_the_journal(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(files("//depot/new", 1500) + ex())
    assert update(index, journal)["transactions"] == 1
    (new, lib, directory, file) = rows(
        "count", index, "//depot/new/...", "//depot/lib/...", "//depot/new/*", "//depot/new/x"
    )
    assert (new["files"], new["revisions"]) == (1500, 1500)
    assert (lib["files"], lib["revisions"]) == (3000, 3000)
    assert (directory["files"], file["files"]) == (1500, 1)
    assert spans(index, "all") == [5500]
    assert spans(index, "all", "//depot/new/...") == [1500]


def test_an_incomplete_transaction_is_not_counted_before_its_end(small: tuple[Path, Path]) -> None:
    index, journal = small
    first, second = files("//depot/new", 600) + ex(), files("//depot/newer", 700) + ex()
    journal.write_text(first + second[:-40])
    update(index, journal)
    (row,) = rows("count", index, "//depot/newer/...")
    assert row["files"] == 0
    journal.write_text(first + second)
    assert update(index, journal)["transactions"] == 1
    (row,) = rows("count", index, "//depot/newer/...")
    assert row["files"] == 700


def test_transactions_before_the_checkpoint_are_skipped(small: tuple[Path, Path]) -> None:
    index, journal = small
    journal.write_text(files("//depot/lib", 3000) + ex(-50) + files("//depot/new", 600) + ex())
    assert update(index, journal)["transactions"] == 1
    lib, new = rows("count", index, "//depot/lib/...", "//depot/new/...")
    assert (lib["files"], new["files"]) == (3000, 600)


@pytest.mark.skipif(not MAKE.is_file(), reason="the generator of checkpoints was not found")
@pytest.mark.parametrize("options", [["--twice"], ["--folded"]], ids=" ".join)
@pytest.mark.long
def test_estimates_after_a_realistic_journal_differ_from_exact_counts_by_less_than_the_step(
    tmp_path: Path, options: list[str]
) -> None:
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    words = ["20000", "300", "4", *options, "--journal", str(journal), "--later", "4000"]
    with checkpoint.open("wb") as out:
        subprocess.run([sys.executable, str(MAKE), *words], stdout=out, check=True)
    with journal.open("a") as more:
        more.write("@ex@ 1 1999999999\n")
    index = built(tmp_path, checkpoint)
    update(index, journal)
    with contextlib.closing(
        ExactCounts([checkpoint, journal], folds="--folded" in options)
    ) as exact:
        paths = sample(exact.revisions.paths, 5)
        for answer in rows("count", index, "-", text="\n".join(paths) + "\n"):
            files, revisions = exact.count(answer["path"])
            assert abs(answer["files"] - files) < STEP, answer
            assert abs(answer["revisions"] - revisions) < STEP, answer
        estimated = 0
        clients = exact.clients()
        for name, (files, _, _) in clients.items():
            (estimate,) = spans(index, name)
            if estimate is not None and files:
                assert abs(estimate - files) < STEP * 40, name
                estimated += 1
        assert estimated > len(clients) / 2, estimated
