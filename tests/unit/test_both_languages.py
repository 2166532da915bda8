"""Tests that docs/architecture.md lists all concepts implemented in both Python and Rust."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from p4warden.rules import RULES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
RUST_TESTS = [
    file
    for crate in ("gate", "gate/log", "gate/index")
    for file in (ROOT / crate).glob("tests/*.rs")
]
PYTHON_TESTS = [
    file for file in ROOT.glob("tests/*/test_*.py") if file.name != Path(__file__).name
]
OF_ONE_SIDE = {"rates", "logs", *RULES}
"""Folders of cases about rates, logs and rules: implemented in one language only, named
by tests of both.
"""


class Row(NamedTuple):
    """Row of a table in docs/architecture.md: a concept that both Python and Rust implement.

    It names the two modules, the shared test cases, and the two tests.
    """

    rust: Path
    python: Path
    cases: Path
    rust_test: Path
    python_test: Path


def table(heading: str) -> list[list[str]]:
    """Return the cells of the Markdown table below a heading, by row, without its header."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def in_code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def rows() -> list[Row]:
    rows = []
    for _, *cells in table("Concepts in both languages"):
        rust, python, cases, rust_test, python_test = (in_code(cell)[0] for cell in cells)
        place = ROOT / rust if rust.startswith("gate/") else ROOT / "gate/src" / rust
        package, tests = ROOT / "triggers/p4warden", ROOT / "tests"
        rows.append(
            Row(
                place,
                package / python,
                tests / "cases" / cases,
                ROOT / rust_test,
                tests / python_test,
            )
        )
    return rows


def names(test: Path, cases: Path) -> bool:
    """Tell whether a test's source names a folder or a file of test cases."""
    return re.search(rf'["/]{re.escape(cases.name)}["/]', text_of(test)) is not None


@functools.cache
def text_of(file: Path) -> str:
    return file.read_text("utf-8")


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.cases.name}: {row.python.stem}")
def test_each_row_is_true(row: Row) -> None:
    for path in row:
        assert path.exists(), path
    assert not row.cases.is_dir() or any(row.cases.iterdir())
    assert names(row.rust_test, row.cases)
    assert names(row.python_test, row.cases)


def test_no_cases_that_both_run_are_missing() -> None:
    listed = {row.cases.name for row in rows()}
    for cases in (ROOT / "tests" / "cases").iterdir():
        sides = (RUST_TESTS, PYTHON_TESTS)
        if all(any(names(test, cases) for test in tests) for tests in sides):
            assert cases.name in listed | OF_ONE_SIDE, f"{cases.name} is not in architecture.md"
    assert len(listed) >= 20


def test_a_format_has_a_test_and_modules() -> None:
    formats = table("Formats between the languages")
    assert len(formats) >= 12
    places = (ROOT, ROOT / "gate/src", ROOT / "triggers/p4warden")
    for _, writers, readers, test in formats:
        assert (ROOT / "tests" / in_code(test)[0]).is_file(), test
        for module in in_code(writers) + in_code(readers):
            assert any((place / module).exists() for place in places), module


def test_a_module_that_names_its_twin_names_one_that_exists() -> None:
    """Check that source files of the other language, named in docstrings or comments, exist."""
    rust = [file for file in ROOT.glob("gate/**/*.rs") if "target" not in file.parts]
    python = re.compile(r"`((?:core|home|judge|worker|forms|rehearse|rules)/[\w/]+\.py)`")
    for source in rust:
        for twin in python.findall(text_of(source)):
            assert (ROOT / "triggers/p4warden" / twin).is_file(), f"{source}: {twin}"
    for source in ROOT.glob("triggers/p4warden/**/*.py"):
        for twin in re.findall(r"`(gate/[\w/]+\.rs)`", text_of(source)):
            assert (ROOT / twin).is_file(), f"{source}: {twin}"
