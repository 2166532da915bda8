"""Tests that CSV cells are no formulas in a spreadsheet, and that spec lines keep their words."""

from __future__ import annotations

import shlex

import pytest

from p4warden.core.csv_cells import cell, spec_lines


@pytest.mark.parametrize(
    ("line", "cell"),
    [
        ("+//depot/a/... //ws/a/...", '"+//depot/a/..." //ws/a/...'),
        ("-//depot/b/... //ws/b/...", '"-//depot/b/..." //ws/b/...'),
        ("-//depot/b/...", '"-//depot/b/..."'),
        ('"+//depot/a b/..." "//ws/a b/..."', '"+//depot/a b/..." "//ws/a b/..."'),
        ("//depot/a/... //ws/a/...", "//depot/a/... //ws/a/..."),
        ("Options: rmdir", "Options: rmdir"),
        ("=1+1", "'=1+1"),
        ("", ""),
    ],
)
def test_spec_lines_in_a_cell_are_no_formulas_and_keep_their_words(line: str, cell: str) -> None:
    assert spec_lines(f"{line}\n{line}") == f"{cell}\n{line if cell[:1] == chr(39) else cell}"
    assert cell[:1] == "'" or words(cell) == words(line)


def words(line: str) -> list[str]:
    """Return the words of a spec line; quotation marks around one are no part of it."""
    return shlex.split(line)


def test_a_cell_is_not_a_formula() -> None:
    assert [cell(text) for text in ("+1", "-1", "=1", "@a", "a")] == [
        "'+1",
        "'-1",
        "'=1",
        "'@a",
        "a",
    ]
