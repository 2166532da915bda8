"""Tests of a census with a checkpoint: exact numbers of files in client views, and verdicts."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from index.exact_counts import ExactCounts
from index.generated_server import generated_server
from p4warden import cli
from support.examples import long_but
from support.small_index import small_index

PROGRAM = Path(sys.executable).with_name("p4warden-index")
GENERATOR = Path(__file__).parents[3] / "shared" / "tools" / "make_checkpoint.py"
SERVER = {"//depot/main/lib": 700, "//depot/main/src": 3000, "//depot/docs": 20, "//tools": 9}
CLIENTS = {
    "narrow": ["//depot/docs/... //narrow/docs/...", "//tools/... //narrow/tools/..."],
    "wide": ["//tools/... //wide/tools/...", "//depot/... //wide/..."],
}


def census(*arguments: str | Path) -> tuple[str, str]:
    """Run `p4warden census`; return its standard output and its standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(["census", *map(str, arguments)])
    assert code == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


def rows(*arguments: str | Path) -> dict[str, dict[str, Any]]:
    lines = census(*arguments, "--json")[0].splitlines()
    return {one["name"]: one for one in map(json.loads, lines)}


def policy(folder: Path, **settings: Any) -> Path:
    rule = {"name": "views", "rule": "limit_view_scope", "mode": "enforce", **settings}
    file = folder / "policy.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "contact": "admins", "rules": [rule]}))
    return file


def exact_clients(files: list[Path], *, folds: bool) -> dict[str, tuple[int, int, int | None]]:
    """Return each client's numbers of files, revisions and have records, counted with SQLite."""
    with contextlib.closing(ExactCounts(files, folds=folds)) as exact:
        return exact.clients()


@pytest.mark.parametrize("folds", long_but([False], [False, True]))
def test_file_counts_of_clients_equal_those_of_a_database(tmp_path: Path, folds: bool) -> None:  # noqa: FBT001 - a case
    server = generated_server(3, folds=folds)
    files = [tmp_path / "ckp", tmp_path / "jnl"]
    files[0].write_bytes(server.checkpoint)
    files[1].write_bytes(server.journal)
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"case_sensitive": not folds}))
    results = rows("--policy", policy(tmp_path), "--facts", facts, "--checkpoint", *files)
    exact = exact_clients(files, folds=folds)
    assert len(results) == len(exact)
    for name, counts in exact.items():
        one = results[name]
        assert (one["files"], one["revisions"], one["have"]) == counts, name


@pytest.mark.skipif(not GENERATOR.is_file(), reason="the generator of checkpoints was not found")
@pytest.mark.parametrize(
    "more", long_but([["--folded"]], [[], ["--folded"]]), ids=["sensitive", "folded"]
)
def test_file_counts_of_a_generated_server_are_exact(tmp_path: Path, more: list[str]) -> None:
    files = [tmp_path / "ckp", tmp_path / "jnl"]
    words = ["5000", "120", "7", "--twice", "--journal", str(files[1]), *more]
    with files[0].open("wb") as output:
        subprocess.run([sys.executable, str(GENERATOR), *words], stdout=output, check=True)
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"case_sensitive": not more}))
    results = rows("--policy", policy(tmp_path), "--facts", facts, "--checkpoint", *files)
    exact = exact_clients(files, folds=bool(more))
    clients = {name: one for name, one in results.items() if one["type"] == "client"}
    assert clients.keys() == exact.keys()
    for name, counts in exact.items():
        one = clients[name]
        assert (one["files"], one["revisions"], one["have"]) == counts, name


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_index(tmp_path_factory.mktemp("server"), SERVER, CLIENTS).with_name("checkpoint")


def test_max_files_is_judged_by_the_counted_files(tmp_path: Path, checkpoint: Path) -> None:
    where = ("--checkpoint", checkpoint, "--home", tmp_path)
    results = rows(*where, "--policy", policy(tmp_path, min_depth=0, max_files=1000))
    assert {name: (one["verdict"], one["files"]) for name, one in results.items()} == {
        "narrow": ("allow", 29),
        "wide": ("refuse", 3729),
    }
    detail = "View line 2 (//depot/... //wide/...) covers about 3,720 files; at most"
    assert results["wide"]["detail"].startswith(detail)
    assert results["wide"]["fix"] == "//depot/main/lib/... //wide/main/lib/..."


def test_clients_are_listed_by_number_of_files(tmp_path: Path, checkpoint: Path) -> None:
    where = ("--checkpoint", checkpoint, "--home", tmp_path)
    out, _ = census(*where, "--policy", policy(tmp_path, min_depth=9))
    specs = [line.split() for line in out.splitlines() if line.startswith("client ")]
    assert [(words[1], words[4], words[5]) for words in specs] == [
        ("wide", "3,729", "0"),
        ("narrow", "29", "0"),
    ]
    out, _ = census(*where, "--policy", policy(tmp_path, min_depth=9), "--csv")
    table = {row["name"]: row for row in csv.DictReader(io.StringIO(out))}
    assert [table["wide"][name] for name in ("files", "revisions", "have")] == [
        "3729",
        "3729",
        "0",
    ]


def test_proposals_use_the_top_directories_of_the_checkpoint(
    tmp_path: Path, checkpoint: Path
) -> None:
    where = ("--checkpoint", checkpoint, "--home", tmp_path)
    results = rows(*where, "--policy", policy(tmp_path))
    lines = ["//depot/docs/... //wide/docs/...", "//depot/main/... //wide/main/..."]
    assert set(lines) < set(results["wide"]["fix"].splitlines())
    # The checkpoint shows the top directories of each depot, so `max_share` can be judged as well.
    shares = policy(tmp_path, min_depth=0, max_share=0.4, min_directories=1)
    results = rows(*where, "--policy", shares)
    assert (
        "maps 1 of the 2 directories directly below //depot; at most 0 are allowed. "
        "Remove the view lines of at least one of these directories" in results["narrow"]["detail"]
    )


def test_option_index_supplies_the_file_counts(tmp_path: Path, checkpoint: Path) -> None:
    index = small_index(tmp_path, {"//depot/main": 7}, {"wide": ["//depot/... //wide/..."]})
    where = ("--checkpoint", checkpoint, "--home", tmp_path, "--index", index)
    results = rows(*where, "--policy", policy(tmp_path))
    assert (results["wide"]["files"], results["narrow"]["files"]) == (7, None)
