"""Tests of the wildcards `*` and `?` in names of a policy, such as users and groups."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core.patterns import fold, matches

EXEMPTIONS = Path(__file__).parents[1] / "cases" / "exemptions"
TEXT = st.text(alphabet="ab*?[].", max_size=12)


def as_expression(pattern: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)


@given(TEXT, st.text(alphabet="ab[].", max_size=12))
def test_a_pattern_matches_like_its_regular_expression(pattern: str, name: str) -> None:
    expected = re.fullmatch(as_expression(pattern), name, re.DOTALL) is not None
    assert matches(pattern, name) == expected


def test_a_pattern_with_many_stars_and_no_match_ends_in_time() -> None:
    assert not matches("*a" * 30 + "b", "a" * 2000)


@pytest.mark.parametrize(
    ("name", "expected"), [("ANN", "ann"), ("É", "É"), ("K\u212a", "k\u212a"), ("aZ0_", "az0_")]
)
def test_case_is_folded_only_for_ascii_letters(name: str, expected: str) -> None:
    assert fold(name, case_sensitive=False) == expected
    assert fold(name, case_sensitive=True) == name


@pytest.mark.parametrize("name", ["users", "patterns", "folding", "no-folding"])
def test_users_are_matched_as_in_the_exemption_cases(name: str) -> None:
    document = json.loads((EXEMPTIONS / f"{name}.json").read_text("utf-8"))
    case_sensitive = document.get("facts", {}).get("case_sensitive", True)
    patterns = [one for entry in document["exemptions"] for one in entry["for"].get("users", ())]
    for case in document["cases"]:
        event = case.get("event", {})
        if event.keys() == {"user"}:
            user = fold(event["user"], case_sensitive=case_sensitive)
            folded = (fold(one, case_sensitive=case_sensitive) for one in patterns)
            is_matched = any(matches(pattern, user) for pattern in folded)
            assert is_matched == case.get("exemption", False), case["name"]
