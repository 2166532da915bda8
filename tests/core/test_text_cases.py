"""Tests of text functions: escaped names, JSON, shortened texts, visible characters, counts.

`cargo test` runs the cases of tests/cases/texts on the gate's functions, those of `json.json`
also on the other Rust programs'.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from p4warden.core.plural import amount
from p4warden.core.printable import cut, printable, short
from p4warden.core.visible import is_visible

CASES = Path(__file__).parents[1] / "cases" / "texts"
VISIBLE = json.loads(CASES.with_name("visible_characters.json").read_text("utf-8"))
DRAW_NOTHING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"}


def cases(name: str) -> list[Any]:
    document = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in document["cases"]]


def text_of(case: dict[str, Any]) -> str:
    """Return a case's text: its hexadecimal bytes, decoded as Python decodes arguments."""
    times: int = case.get("times", 1)
    return (bytes.fromhex(case["bytes"]) * times).decode("utf-8", "surrogateescape")


def repeated(piece: str, times: int, end: str) -> str:
    return piece * times + end


@pytest.mark.parametrize("case", cases("printable"))
def test_a_name_is_escaped_to_printable_text_as_in_the_case(case: dict[str, Any]) -> None:
    assert printable(text_of(case)) == case["printable"]


@pytest.mark.parametrize("case", cases("cut"))
def test_a_long_text_is_shortened_as_in_the_case(case: dict[str, Any]) -> None:
    assert cut(text_of(case)) == repeated(*case["item"])
    assert short(text_of(case)) == repeated(*case["record"])


def test_characters_are_visible_or_hidden_as_in_the_shared_cases() -> None:
    assert [c for c in VISIBLE["visible"] if not is_visible(c)] == []
    assert [c for c in VISIBLE["hidden"] if is_visible(c)] == []


def test_the_space_is_the_only_nonprinting_character_shown_unescaped() -> None:
    characters = {
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in DRAW_NOTHING and is_visible(chr(code))
    }
    assert characters == {" "}


def test_amounts_have_a_plural_and_grouped_thousands() -> None:
    texts = [amount(number, "file") for number in (0, 1, 999, 1_000, 12_345_678)]
    assert texts == ["0 files", "1 file", "999 files", "1,000 files", "12,345,678 files"]
    assert amount(2_000, "entry", "entries") == "2,000 entries"
