"""Tests of rates and durations in a policy, such as `5 per 1s`: spellings, printed form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core import rate_notation

FOLDER = Path(__file__).parents[1] / "cases" / "rate_notation"
RATES: dict[str, str | None] = json.loads((FOLDER / "rates.json").read_text("utf-8"))
INTERVALS: dict[str, int | None] = json.loads((FOLDER / "intervals.json").read_text("utf-8"))
DURATIONS: dict[str, str | None] = json.loads((FOLDER / "durations.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "notation"), RATES.items())
def test_each_spelling_of_a_rate_is_normalized_or_refused(text: str, notation: str | None) -> None:
    rate = rate_notation.rate(text)
    assert (rate.text if rate else None) == notation


@pytest.mark.parametrize("text", sorted({text for text in RATES.values() if text}))
def test_the_interval_of_a_rate_in_nanoseconds_equals_the_case_file(text: str) -> None:
    rate = rate_notation.rate(text)
    assert rate is not None
    assert rate.interval_ns == INTERVALS[text]


@pytest.mark.parametrize(("text", "notation"), DURATIONS.items())
def test_each_spelling_of_a_duration_is_normalized_or_refused(
    text: str, notation: str | None
) -> None:
    duration = rate_notation.duration(text)
    assert (duration.text if duration else None) == notation


@given(
    st.integers(1, 9_999_999),
    st.integers(1, 999_999),
    st.sampled_from(sorted(rate_notation.UNITS)),
)
def test_the_notation_of_a_rate_keeps_its_interval_and_parses_to_the_same_rate(
    count: int, number: int, word: str
) -> None:
    notation = rate_notation.rate(f"{count} per {number} {word}")
    assert notation is not None
    assert notation.interval_ns is not None
    assert (notation.interval_ns - 1) * count < notation.period.ns <= notation.interval_ns * count
    assert rate_notation.rate(notation.text) == notation


@given(st.text(max_size=30))
def test_any_text_is_parsed_as_a_rate_or_none(text: str) -> None:
    rate = rate_notation.rate(text)
    assert rate is None or rate_notation.rate(rate.text) == rate
