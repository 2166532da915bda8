"""Tests that CSV cells are no formulas in a spreadsheet, and that spec lines keep their words."""

from __future__ import annotations

import csv
import io
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
        ("", ""),
    ],
)
def test_spec_lines_in_a_cell_are_no_formulas_and_keep_their_words(line: str, cell: str) -> None:
    assert spec_lines(f"{line}\n{line}") == f"{cell}\n{cell}"
    assert words(cell) == words(line)


@pytest.mark.parametrize("line", ["=1+1", "//depot/a;=1+1/... //ws/...", '//d/";-1" //ws/";-1"'])
def test_spec_lines_that_would_have_to_be_changed_are_left_out(line: str) -> None:
    assert spec_lines(f"//depot/a/... //ws/...\n{line}") == ""


def words(line: str) -> list[str]:
    """Return the words of a spec line; quotation marks around one are no part of it."""
    return shlex.split(line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("=1", "'=1"),
        ("@a", "'@a"),
        ("a", "a"),
        ("a=1; b", "a=1; b"),
        ("a;=1;-2;b", "a;'=1;'-2;b"),
        ('a;"=1"', 'a;"\'=1"'),
        ("a\t=1", r"a\x09=1"),
        ("a\n=1", "a\n'=1"),
    ],
)
def test_a_cell_is_no_formula_behind_any_separator(text: str, expected: str) -> None:
    assert cell(text) == expected
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(("first", cell(text), "last"))
    for separator in ",;\t":
        rows = csv.reader(io.StringIO(row.getvalue()), delimiter=separator)
        assert [one for row in rows for one in row if one.lstrip('"')[:1] in {*"=+-@"}] == []
