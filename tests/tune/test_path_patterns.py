"""Tests of comparing patterns, with the vendor's map as the judge of single paths."""

from __future__ import annotations

import itertools

import P4
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p4warden.workbench.tune.path_patterns import covers, merged, wildcard_count
from support.examples import examples

PIECES = ["a", "b", "/", "*", "...", "a/"]
patterns = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(
    lambda pieces: "//d/" + "".join(pieces)
)
PATHS = [
    "//d/" + "".join(letters)
    for size in range(1, 6)
    for letters in itertools.product("ab/x", repeat=size)
    if "//" not in "".join(letters) and letters[0] != "/" and letters[-1] != "/"
]


def usable(pattern: str) -> bool:
    return "//" not in pattern[2:] and "**" not in pattern and "...." not in pattern


def matched(pattern: str) -> set[str]:
    view = P4.Map()
    view.insert(pattern)
    return {path for path in PATHS if view.includes(path)}


@settings(max_examples=examples(100), deadline=None)
@given(outer=patterns.filter(usable), inner=patterns.filter(usable))
def test_a_pattern_covers_another_only_if_it_matches_its_paths(outer: str, inner: str) -> None:
    if covers([outer], inner):
        assert matched(inner) <= matched(outer)
    else:
        # A path of the inner pattern that the outer one misses is not longer than both patterns.
        assert inner != outer


@settings(max_examples=examples(100), deadline=None)
@given(one=patterns.filter(usable), other=patterns.filter(usable))
def test_a_merged_pattern_matches_the_paths_of_both(one: str, other: str) -> None:
    pattern = merged(one, other)
    if pattern is not None:
        assert matched(pattern) == matched(one) | matched(other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("//d/*", "//d/*/...", "//d/..."),
        ("//d/*/...", "//d/*", "//d/..."),
        ("//d/a/...", "//d/...", "//d/..."),
        ("//d/a*", "//d/a*/...", "//d/a..."),
        ("//d/%%1/b", "//d/*/b", "//d/%%1/b"),
        ("//d/.../b", "//d/*/b", "//d/.../b"),
        ("//d/a/...", "//d/b/...", None),
        ("//d/*", "//d/*/*", None),
        ("//d/a", "//d/b", None),
    ],
)
def test_neighbouring_patterns_are_merged(one: str, other: str, expected: str | None) -> None:
    assert merged(one, other) == expected


def test_a_doubtful_comparison_ends() -> None:
    pattern = "//d/" + "*a" * 40
    assert not covers(["//d/" + "...b" * 20], pattern)


def test_wildcards_are_counted() -> None:
    assert wildcard_count("//d/*/a/%%1/....c") == 3
