"""Tests of the saving that a proposed view needs: a tenth of the files, with exceptions."""

from __future__ import annotations

import pytest

from p4warden.workbench.rightsize import Proposal, SearchResult, ViewRow
from p4warden.workbench.rightsize.verdict import is_too_wide, worth_offering

MAX_FILES = 1000
DIRECTORY = ("", "//depot/main/...")


def answer(files: int | None, enough: int, *rows: tuple[str, str]) -> SearchResult:
    view = tuple(ViewRow(mark, depot, "//ws/...") for mark, depot in rows)
    proposal = Proposal(enough, ("//depot/main/lib/",), ())
    return SearchResult(
        "ws", 1, 0, 0, 0, files, 1, None, has_own_have=False, view=view, proposal=proposal
    )


@pytest.mark.parametrize(
    ("files", "enough", "rows"),
    [
        (1000, 900, [DIRECTORY]),
        (1001, 1000, [DIRECTORY]),
        (None, 900, [DIRECTORY]),
        (1000, 970, [DIRECTORY, ("", "//tools/...")]),
        (1000, 970, [DIRECTORY, ("+", "//tools/*/src/...")]),
        (1000, 970, [DIRECTORY, ("", "//...")]),
    ],
)
def test_a_proposal_that_saves_enough_or_is_needed_is_kept(
    files: int, enough: int, rows: list[tuple[str, str]]
) -> None:
    one = answer(files, enough, *rows)
    is_refused = is_too_wide(one, MAX_FILES, 1)
    assert worth_offering(one, is_refused=is_refused) == one


@pytest.mark.parametrize("rows", [[], [("-", "//depot/....o")], [("", "//depot/README")]])
def test_a_proposal_that_saves_little_is_left_out(rows: list[tuple[str, str]]) -> None:
    one = answer(1000, 901, DIRECTORY, *rows)
    results = worth_offering(one, is_refused=is_too_wide(one, MAX_FILES, 1))
    assert results.proposal is None
    assert results.reason == (
        "its view is already narrow: it spans 1,000 files, a sufficient view 901"
    )


def test_a_proposal_for_a_view_that_is_not_deep_enough_is_kept() -> None:
    one = answer(1000, 970, DIRECTORY)
    assert is_too_wide(one, MAX_FILES, 2)
    assert worth_offering(one, is_refused=True) == one


def test_a_path_with_a_blank_a_tab_or_a_hash_is_quoted() -> None:
    rows = [ViewRow("+", f"//d/{word}/...", "//ws/...") for word in ("a b", "a\tb", "#a", "ab")]
    assert [row.text() for row in rows] == [
        '"+//d/a b/..." //ws/...',
        '"+//d/a\tb/..." //ws/...',
        '"+//d/#a/..." //ws/...',
        "+//d/ab/... //ws/...",
    ]
