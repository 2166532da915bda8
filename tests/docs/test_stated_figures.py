"""Figures of papers, of the vendor and of public reports stand once, with the source's words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from p4warden.core import shipped_yaml
from support.stated_numbers import flat, numbers, texts

LIST: dict[str, Any] = shipped_yaml.load(
    (Path(__file__).parents[1] / "cases" / "stated_figures.yaml").read_text("utf-8")
)
FIGURES = LIST["figures"]
TEXTS = {name: flat(text) for name, text in texts().items()}
PAPERS = re.compile(r"Performance Lab|Research In Motion|\bRIM\b|NetApp|Lightning|User Conference")


@pytest.mark.parametrize("one", FIGURES, ids=lambda one: str(one["figure"]))
def test_a_figure_stands_in_one_text_with_its_source_and_words(one: dict[str, str]) -> None:
    pattern = re.compile(rf"(?<![\w.,]){re.escape(one['figure'])}(?!\w)")
    assert [name for name, text in TEXTS.items() if pattern.search(text)] == [one["stands"]]
    assert one["source"] in LIST["sources"]
    assert ("words" in one) != ("paraphrased" in one)


@pytest.mark.parametrize("name", TEXTS)
def test_every_number_is_a_listed_figure_or_ours(name: str) -> None:
    ours = LIST["ours"].get(name, [])
    assert [one for one in numbers(without_figures(name, TEXTS[name])) if one not in ours] == []


@pytest.mark.parametrize("name", TEXTS)
def test_no_number_beside_the_name_of_a_paper_is_ours(name: str) -> None:
    sentences = re.split(r"(?<=[.;:|])\s", without_figures(name, TEXTS[name]))
    assert [one for one in sentences if PAPERS.search(one) and numbers(one)] == []


def without_figures(name: str, text: str) -> str:
    for one in FIGURES:
        if one["stands"] == name:
            text = text.replace(one["figure"], ";")
    return text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It took .585 s with 4,096 depots (2009).", [".585 s", "4,096 depots"]),
        ("Since 2019.1, 31x paths; 20 % of 64MB", ["31x paths", "20 %", "64MB"]),
        ("`-m 20`, [page](a.md#3), issues 238 and 301, //depot/1/..., v1", []),
        ("    p4 changes -m 5\n```\n12 files\n```\n# 7 paths\n", ["7 paths"]),
    ],
)
def test_numbers_are_found_with_the_word_after_them(text: str, found: list[str]) -> None:
    assert numbers(text) == found
