"""Tests of the command `p4warden index`, which builds an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from index.conftest import rows
from index.conftest import run as program
from index.generated_server import generated_server
from p4warden import cli

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(cli.p4warden, ["index", *map(str, words)])
    return result.exit_code, result.output if result.exception is None else str(result.exception)


def test_an_index_is_made_in_the_home_folder(tmp_path: Path) -> None:
    checkpoint, journal = tmp_path / "ckp", tmp_path / "jnl"
    server = generated_server(1, folds=False, files=40)
    checkpoint.write_bytes(server.checkpoint)
    journal.write_bytes(server.journal)
    words: list[str | Path] = [
        "--checkpoint",
        checkpoint,
        "--journal",
        journal,
        journal,
        "--server-id",
        "main",
    ]
    code, out = run(*words, "--home", tmp_path)
    (head,) = rows("show", tmp_path / "checkpoint.index")
    counts = f"{head['files']} files, {head['revisions']} revisions, 60 clients"
    place = f"{tmp_path}/checkpoint.index"
    assert (code, out) == (0, f"{place}: {counts}; case-sensitive, up to change 77\n")
    assert head["server_id"] == "main"


@pytest.mark.parametrize("words", [[], ["--output", "x"]])
def test_a_missing_home_folder_or_checkpoint_is_reported(tmp_path: Path, words: list[str]) -> None:
    code, out = run("--checkpoint", tmp_path / "none", "--home", tmp_path / "home", *words)
    assert code == 1
    assert ("No such file" if words else "or the file with --output") in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["records", "ckp"], "--tables is missing"),
        (["build", "--output=index", "--files=files", "ckp"], "--questions is missing"),
    ],
)
def test_the_program_names_a_missing_option_before_it_reads(
    tmp_path: Path, words: list[str], problem: str
) -> None:
    (tmp_path / "ckp").write_bytes(generated_server(1, folds=False, files=4).checkpoint)
    done = program(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"p4warden-index: {problem}\n")
    assert [one.name for one in tmp_path.iterdir()] == ["ckp"]


def test_index_without_a_checkpoint_is_a_usage_error(tmp_path: Path) -> None:
    assert run("--home", tmp_path)[0] == 2
