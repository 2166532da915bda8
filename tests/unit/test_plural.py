"""Tests of counts with nouns in messages: `1 file`, `2 files`."""

from __future__ import annotations

from p4warden.core.plural import amount, at_most


def test_amounts_have_a_plural_and_grouped_thousands() -> None:
    texts = [amount(number, "file") for number in (0, 1, 999, 1_000, 12_345_678)]
    assert texts == ["0 files", "1 file", "999 files", "1,000 files", "12,345,678 files"]
    assert amount(2_000, "entry", "entries") == "2,000 entries"
    assert (at_most(1), at_most(1_000)) == ("at most 1 is allowed", "at most 1,000 are allowed")
