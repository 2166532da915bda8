"""Tests of splitting view lines into words, and paths at wildcards, against regular
expressions.
"""

from __future__ import annotations

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from p4warden.forms.depot_path import (
    BLANKS,
    MAX_DOTS,
    MAX_WILDCARDS,
    WILDCARD,
    MalformedPath,
    first_wildcard,
    path_span,
    split_words,
    wildcards,
)

# Regular expression of a word of a view line: a quote counts only at the start of a word, and the
# next quote ends it.
WORD = f'"([^"]*)"?|([^{BLANKS}]+)'
PIECES = ["...", "..", ".", "*", "%%1", "%%", "%", "%%%2", "9", "a", "/"]
PATHS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
LINES = st.lists(st.sampled_from([*PIECES, '"', *BLANKS, "\xa0", "\x1c"])).map("".join)


@given(LINES)
def test_split_words_finds_the_words_of_the_regular_expression(text: str) -> None:
    results = tuple(m[2] if m[1] is None else m[1] for m in re.finditer(WORD, text))
    # In a text without words, `split_words` finds one empty word, and the expression `WORD` none.
    assert split_words(text) == (results or ("",))


@given(PATHS)
def test_wildcards_are_found_where_the_regular_expression_finds_them(text: str) -> None:
    results = re.search(WILDCARD, text)
    assert first_wildcard(text) == (results and results.span())
    assert [*wildcards(text)] == [match.span() for match in re.finditer(WILDCARD, text)]


@given(PATHS)
def test_too_many_or_adjacent_wildcards_are_malformed_as_by_regular_expression(text: str) -> None:
    path = f"//depot/a*/{text}z"
    assume(not {"", ".", ".."} & set(path[2:].split("/")))
    results = re.findall(WILDCARD, path)
    many = results.count("...") > MAX_DOTS or len(results) > MAX_WILDCARDS
    pair = re.search(f"(?:{WILDCARD}){{2}}", path)
    assert ("more than" in problem(path)) == many
    assert ("side by side" in problem(path)) == bool(pair and not many)


def problem(path: str) -> str:
    try:
        path_span(path)
    except MalformedPath as problem:
        return str(problem)
    return ""


def test_first_wildcard_returns_start_and_end_of_the_wildcard() -> None:
    results = [first_wildcard(path) for path in ("//a", "//a/%%%1", "....", "a%%x*")]
    assert results == [None, (5, 8), (0, 3), (4, 5)]
