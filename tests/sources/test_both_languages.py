"""Tests that what both Python and Rust know is listed, and tested by the same cases."""

from __future__ import annotations

import ast
import functools
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
LISTS = ROOT / "tests" / "cases" / "both_languages"
RUST = sorted(
    file
    for crate in ("triggers/gate", "triggers/gate/log", "triggers/gate/index")
    for file in (ROOT / crate).glob("src/**/*.rs")
)
PYTHON = sorted((ROOT / "triggers" / "p4warden").rglob("*.py"))
RULES = {file.stem for file in ROOT.glob("triggers/p4warden/policy/schema/rules/*.json")}
RUST_TESTS = [
    file
    for crate in ("triggers/gate", "triggers/gate/log", "triggers/gate/index")
    for file in (ROOT / crate).glob("tests/*.rs")
]
PYTHON_TESTS = [
    file for file in ROOT.glob("tests/*/test_*.py") if file.name != Path(__file__).name
]
COINCIDENCES = {"MAX_DEPOTS", "MAX_DEPTH", "QUARTER_S", "READ_BYTES"}
"""Names of constants that are equal in Python and Rust but serve unrelated purposes."""
SENTENCE_CHARACTERS = 20
"""Minimum number of characters for a text with a blank to count as a sentence."""


class Row(NamedTuple):
    """A concept: the modules, the shared test cases, and the two tests."""

    concept: str
    rust: Path
    python: tuple[Path, ...]
    cases: Path
    rust_test: Path
    python_test: Path


def listed(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of `tests/cases/both_languages`."""
    rows: list[dict[str, Any]] = json.loads(text_of(LISTS / name))["rows"]
    return rows


def rows() -> list[Row]:
    return [
        Row(
            row["concept"],
            module(row["rust"]),
            tuple(map(module, row["python"])),
            ROOT / "tests" / "cases" / row["cases"],
            ROOT / row["rust_test"],
            ROOT / "tests" / row["python_test"],
        )
        for row in listed("concepts.json")
    ]


def module(name: str) -> Path:
    """Return the path of a listed module; Rust if it ends with `.rs` or `/`."""
    if name.startswith("triggers/gate/"):
        return ROOT / name
    return (
        ROOT / ("triggers/gate/src" if name.endswith((".rs", "/")) else "triggers/p4warden") / name
    )


def names(test: Path, cases: Path) -> bool:
    """Tell whether a test's source names a folder or a file of test cases."""
    text = text_of(test)
    return "cases" in text and re.search(rf'["/]{re.escape(cases.name)}["/]', text) is not None


@functools.cache
def text_of(file: Path) -> str:
    return file.read_text("utf-8")


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.cases.name}: {row.concept}")
def test_each_row_names_existing_modules_cases_and_tests(row: Row) -> None:
    for path in (row.rust, row.cases, row.rust_test):
        assert path.exists(), path
    assert not row.cases.is_dir() or any(row.cases.iterdir())
    assert names(row.rust_test, row.cases)
    assert all(path.exists() for path in (*row.python, row.python_test))
    assert names(row.python_test, row.cases)


def test_concepts_of_limits_json_are_listed_and_used_by_both_tests() -> None:
    file = ROOT / "tests" / "cases" / "limits" / "limits.json"
    concepts = {row.concept: row for row in rows() if row.cases == file.parent}
    assert {*concepts} == {*json.loads(text_of(file))} - {"why"}
    for concept, row in concepts.items():
        assert f'"{concept}"' in text_of(row.rust_test), concept
        assert f'"{concept}"' in text_of(row.python_test), concept


def test_case_folders_that_tests_of_both_languages_run_are_listed() -> None:
    listed_folders = {row.cases.name for row in rows()}
    of_one_language = {row["cases"] for row in listed("one_language.json")}
    for cases in (ROOT / "tests" / "cases").iterdir():
        sides = (RUST_TESTS, PYTHON_TESTS)
        if all(any(names(test, cases) for test in tests) for tests in sides):
            all_names = listed_folders | of_one_language | {*RULES}
            assert cases.name in all_names, f"{cases.name} is not in concepts.json"
    assert len(listed_folders) >= 8


def test_cases_of_one_language_have_their_code_and_both_tests() -> None:
    for row in listed("one_language.json"):
        folder = ROOT / "tests" / "cases" / row["cases"]
        assert module(row["code"]).exists(), row
        for test in (ROOT / row["rust_test"], ROOT / "tests" / row["python_test"]):
            assert names(test, folder) or f'"{folder.name}"' in text_of(
                test.parent / "conftest.py"
            )


def constants(files: Iterable[Path], pattern: str) -> dict[tuple[str, int], set[Path]]:
    """Return the files that define each numeric constant, by the constant's name and value."""
    files_by_constant: dict[tuple[str, int], set[Path]] = {}
    for file in files:
        for name, text in re.findall(pattern, text_of(file), re.MULTILINE):
            factors, _, shift = text.partition(" << ")
            value = math.prod(int(factor, 0) for factor in factors.split(" * "))
            files_by_constant.setdefault((name, value << int(shift or 0)), set()).add(file)
    return files_by_constant


def modules_of_rows() -> list[set[Path]]:
    """Return the modules of each concept and of each format that both languages know."""
    concepts = [{row.rust, *row.python} for row in rows()]
    return concepts + [modules_of_format(row) for row in listed("formats.json")]


def modules_of_format(row: dict[str, Any]) -> set[Path]:
    return {module(name) for name in row["writers"] + row["readers"]}


def test_a_constant_of_both_languages_has_a_row() -> None:
    number = r"((?:0x[\da-fA-F_]+|\d[\d_]*)(?: (?:\*|<<) \d[\d_]*)*)"
    rust = constants(RUST, rf"\bconst ([A-Z_0-9]+): [iu]\w+ = {number};")
    python = constants(PYTHON, rf"^_?([A-Z][A-Z_0-9]+)(?:: \w+)? = {number}$")
    shared = {constant for constant in {*rust} & {*python} if constant[0] not in COINCIDENCES}
    assert len(shared) >= 3
    for constant in shared:
        assert any(
            modules & rust[constant] and modules & python[constant]
            for modules in modules_of_rows()
        ), f"{constant} of {rust[constant]} and {python[constant]} is in no list of {LISTS}"


def python_texts(file: Path) -> Iterator[str]:
    """Yield the string constants in a Python file, without docstrings."""
    nodes = list(ast.walk(ast.parse(text_of(file))))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def rust_texts(file: Path) -> Iterator[str]:
    """Yield the string literals of a Rust file before its tests, split at `{}` placeholders."""
    source = text_of(file).partition("#[cfg(test)]")[0]
    for text in re.findall(r'"((?:[^"\\]|\\[^\n]|\\\n)*)"', source):
        yield from re.split(r"\{[^}]*\}", re.sub(r"\\\n\s*", "", text))


def test_a_sentence_of_both_languages_is_in_a_case_file_or_a_listed_test() -> None:
    files = {file for file in (ROOT / "tests" / "cases").rglob("*") if file.is_file()}
    for row in listed("formats.json"):
        files |= {ROOT / "tests" / test for test in row["tests"]}
    content = b"\n".join(file.read_bytes() for file in sorted(files))
    rust, python = (
        {text.strip() for file in sources for text in texts(file)}
        for sources, texts in ((RUST, rust_texts), (PYTHON, python_texts))
    )
    shared = {text for text in rust & python if len(text) >= SENTENCE_CHARACTERS and " " in text}
    assert len(shared) >= 3
    for sentence in shared:
        assert sentence.encode() in content, f"{sentence!r} is in no case that both languages run"


def test_each_listed_format_has_existing_tests_and_modules() -> None:
    formats = listed("formats.json")
    assert len(formats) >= 12
    for row in formats:
        for test in row["tests"]:
            assert (ROOT / "tests" / test).is_file(), test
        for file in modules_of_format(row):
            assert file.exists(), file


def test_a_module_of_the_other_language_named_in_source_code_exists() -> None:
    rust = [file for file in ROOT.glob("triggers/gate/**/*.rs") if "target" not in file.parts]
    python = re.compile(r"`((?:core|home|judge|worker|forms|rehearse|rules)/[\w/]+\.py)`")
    for source in rust:
        for twin in python.findall(text_of(source)):
            assert (ROOT / "triggers/p4warden" / twin).is_file(), f"{source}: {twin}"
    for source in ROOT.glob("triggers/p4warden/**/*.py"):
        for twin in re.findall(r"`(triggers/gate/[\w/]+\.rs)`", text_of(source)):
            assert (ROOT / twin).is_file(), f"{source}: {twin}"
