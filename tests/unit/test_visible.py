"""Tests of the non-ASCII characters that p4warden's refusals show unescaped."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

from p4warden.core.visible import is_visible

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "visible_characters.json").read_text("utf-8")
)
DRAW_NOTHING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"}


def test_characters_are_visible_or_hidden_as_in_the_shared_cases() -> None:
    assert [c for c in CASES["visible"] if not is_visible(c)] == []
    assert [c for c in CASES["hidden"] if is_visible(c)] == []


def test_the_space_is_the_only_nonprinting_character_shown_unescaped() -> None:
    characters = {
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in DRAW_NOTHING and is_visible(chr(code))
    }
    assert characters == {" "}
