"""Tests of the counts of `p4warden-index`, compared with independent counts by SQLite."""

from __future__ import annotations

import contextlib
import gzip
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from index.conftest import SHARED, built, rows
from index.exact_counts import ExactCounts
from index.generated_server import generated_server
from support.examples import examples, long_but

if TYPE_CHECKING:
    from pathlib import Path

STEP = 500
MAKE = SHARED / "tools" / "make_checkpoint.py"


def sample(paths: list[str], seed: int) -> list[str]:
    """Return up to 10,000 random depot paths, most with wildcards, that begin like given paths."""
    rnd, results = random.Random(seed), []  # noqa: S311 - reproducible test data
    for _ in range(examples(10_000)):
        path = rnd.choice(paths)
        part = path[: rnd.randrange(2, len(path) + 1)]
        folder, slash, name = path.rpartition("/")
        name = name[: rnd.randrange(len(name))]
        outer = (
            path.split("/")[: rnd.randrange(3, path.count("/") + 1)] if path.count("/") > 3 else []
        )
        results.append(
            rnd.choice(
                [
                    f"{part}...",
                    f"{'/'.join(outer or [folder])}/...",
                    f"{folder}{slash}{name}*",
                    path,
                ]
            )
        )
    return results


def check(output: Path, exact: ExactCounts, seed: int) -> None:
    """Check an index: all clients exactly, random paths within the allowed error."""
    clients = {row["client"]: row for row in rows("clients", output)}
    results = {n: (c["files"], c["revisions"], c["have"]) for n, c in clients.items()}
    assert results == exact.clients()
    (head,) = rows("show", output)
    assert head["files"] == len(exact.files.paths)
    assert head["revisions"] == len(exact.revisions.paths)
    paths = sample(exact.revisions.paths, seed)
    answers = rows("count", output, "-", text="\n".join(paths) + "\n")
    assert [answer["path"] for answer in answers] == paths
    for answer in answers:
        files, revisions = exact.count(answer["path"])
        assert abs(answer["files"] - files) < STEP, answer
        assert abs(answer["revisions"] - revisions) < STEP, answer


@pytest.mark.parametrize("folds", long_but([True], [False, True]), ids=["bytes", "folded"])
@pytest.mark.parametrize(
    "with_journal", long_but([True], [False, True]), ids=["checkpoint", "journal"]
)
@pytest.mark.sampled
def test_estimates_differ_from_exact_counts_by_less_than_the_step(
    tmp_path: Path, *, folds: bool, with_journal: bool
) -> None:
    server = generated_server(3, folds=folds, twice=with_journal)
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    checkpoint.write_bytes(server.checkpoint)
    journal.write_bytes(server.journal)
    journals = [journal] if with_journal else []
    output = built(tmp_path, checkpoint, *journals)
    assert rows("show", output)[0]["case"] == ("folded" if folds else "sensitive")
    with contextlib.closing(ExactCounts([checkpoint, *journals], folds=folds)) as exact:
        check(output, exact, seed=5)


@pytest.mark.skipif(not MAKE.is_file(), reason="the generator of checkpoints was not found")
@pytest.mark.parametrize("options", [["--twice"], ["--folded", "--twice"]], ids=" ".join)
@pytest.mark.long
def test_estimates_of_a_realistic_server_differ_from_exact_counts_by_less_than_the_step(
    tmp_path: Path, options: list[str]
) -> None:
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    words = ["20000", "300", "4", *options, "--journal", str(journal)]
    with checkpoint.open("wb") as out:
        subprocess.run([sys.executable, str(MAKE), *words], stdout=out, check=True)
    output = built(tmp_path, checkpoint, journal)
    with contextlib.closing(
        ExactCounts([checkpoint, journal], folds="--folded" in options)
    ) as exact:
        check(output, exact, seed=7)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real checkpoints were found")
@pytest.mark.parametrize("release", ["r15.1", "r17.1"])
@pytest.mark.sampled
def test_directory_counts_of_real_checkpoints_are_exact(tmp_path: Path, release: str) -> None:
    compressed_path = SHARED / "data" / f"checkpoint_{release}.gz"
    plain = tmp_path / "plain"
    plain.write_bytes(gzip.decompress(compressed_path.read_bytes()))
    output = built(tmp_path, compressed_path)
    assert rows("show", output)[0]["case"] == "folded"
    with contextlib.closing(ExactCounts([plain], folds=True)) as exact:
        check(output, exact, seed=1)
        places = {row["path"]: row for row in rows("places", output)}
        for path, row in places.items():
            assert (row["files"], row["revisions"]) == exact.count(f"{path}...")


def test_the_counts_of_a_whole_client_view_are_exact(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(generated_server(9, folds=False).checkpoint)
    output = built(tmp_path, checkpoint)
    with contextlib.closing(ExactCounts([checkpoint], folds=False)) as exact:
        wide = {name: one for name, one in exact.clients().items() if one[0] >= STEP}
        assert wide
        for name, (files, revisions, _) in wide.items():
            for words in ([], [f"//{name}/..."], ["//..."]):
                (row,) = rows("estimate", output, "--client", name, *words)
                assert (row["files"], row["revisions"]) == (files, revisions), words
            (row,) = rows("estimate", output, "--client", name, "//nowhere/...")
            assert (row["files"], row["revisions"]) == (0, 0)


def test_an_estimate_of_no_paths_from_standard_input_prints_nothing(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(generated_server(1, folds=False, files=50).checkpoint)
    words = ("estimate", built(tmp_path, checkpoint), "--client=nobody", "-")
    assert rows(*words, text="") == []
    assert [row["path"] for row in rows(*words, text="//a/...\n//b/...\n")] == [
        "//a/...",
        "//b/...",
    ]


def test_the_estimate_of_a_client_missing_from_the_index_is_unknown(tmp_path: Path) -> None:
    checkpoint = tmp_path / "ckp"
    checkpoint.write_bytes(generated_server(1, folds=False, files=50).checkpoint)
    (row,) = rows("estimate", built(tmp_path, checkpoint), "--client", "nobody")
    assert (row["files"], row["revisions"]) == (None, None)
