"""Tests of `--help` of the Rust programs and their subcommands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUBCOMMANDS = {
    "p4warden-gate": ["check", "judge", "remarks", "lines", "tables", "counts", "self-test"],
    "p4warden-log": ["read", "replay", "load"],
    "p4warden-index": [
        *("build", "show", "count", "estimate", "records"),
        *("clients", "places"),
    ],
}
EACH = [(program, word) for program, words in SUBCOMMANDS.items() for word in words]


def ask(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = Path(sys.executable).with_name(program)
    return subprocess.run([path, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("program", SUBCOMMANDS)
def test_a_program_prints_the_usage_of_all_subcommands(program: str, option: str) -> None:
    process = ask(program, option)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith(f"usage: {program} ")
    for word in SUBCOMMANDS[program]:
        assert f" {program} {word}" in process.stdout


@pytest.mark.parametrize(("program", "word"), EACH)
def test_a_subcommand_prints_its_usage(program: str, word: str) -> None:
    process = ask(program, word, "--help")
    assert (process.returncode, process.stderr) == (0, "")
    first, *more = process.stdout.splitlines()
    assert f"{first} ".startswith(f"usage: {program} {word} ")
    assert more
    assert all(line.startswith(" " * 11) for line in more)


@pytest.mark.parametrize("program", ["p4warden-log", "p4warden-index"])
def test_a_missing_or_unknown_subcommand_is_an_error(program: str) -> None:
    for words in ([], ["nonsense"]):
        process = ask(program, *words)
        assert (process.returncode, process.stdout) == (2, "")
        assert process.stderr.startswith(
            f"{program}: the first word must be a subcommand\nusage: {program} "
        )


def test_help_as_an_option_value_or_after_two_dashes_prints_no_usage() -> None:
    for words in (["--client", "--help", "no.index"], ["--client=--help", "no.index"]):
        process = ask("p4warden-index", "estimate", *words)
        assert (process.returncode, process.stdout) == (1, "")
    process = ask("p4warden-log", "read", "--", "--help")
    assert (process.returncode, process.stdout) == (1, "")


def test_help_into_a_closed_pipe_causes_no_error() -> None:
    command = f"{Path(sys.executable).with_name('p4warden-index')} --help"
    process = subprocess.run(
        ["/bin/sh", "-c", f"{{ {command}; echo $? >&2; }} | :"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stderr == "0\n"
