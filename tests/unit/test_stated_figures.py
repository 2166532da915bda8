"""Figures of papers and of public reports stand once, in the `why` of a rule, and in a list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from p4warden.core import shipped_yaml
from p4warden.policy.schema import kinds, why

ROOT = Path(__file__).parents[2]
LIST: dict[str, Any] = shipped_yaml.load(
    (ROOT / "tests" / "cases" / "stated_figures.yaml").read_text("utf-8")
)
FIGURES = LIST["figures"]
TITLES = re.compile(r"\([^()]*(?:\b20\d\d|TR-4164|knowledge base|issues? \d+)[^()]*\)|issues? \d+")
ELSEWHERE = [
    ROOT / "README.md",
    ROOT / "triggers" / "p4warden" / "policy" / "starter.yaml.in",
    *ROOT.glob("policies/*.yaml"),
    *ROOT.glob("docs/*.md"),
]


@pytest.mark.parametrize("one", FIGURES, ids=lambda one: str(one["figure"]))
def test_a_figure_stands_in_one_place(one: dict[str, str]) -> None:
    pattern = re.compile(rf"(?<![\w.,]){re.escape(one['figure'])}\b")
    assert [kind for kind in kinds() if pattern.search(flat(why(kind)))] == [one["stands"]]
    assert len(pattern.findall(flat(why(one["stands"])))) == 1
    texts = {file.name: flat(file.read_text("utf-8")) for file in ELSEWHERE}
    assert [name for name, text in texts.items() if pattern.search(text)] == []
    assert one["source"] in LIST["sources"]
    assert one["words"]


@pytest.mark.parametrize("kind", kinds())
def test_every_number_of_a_reason_is_in_the_list(kind: str) -> None:
    text = TITLES.sub("", flat(why(kind)))
    for one in FIGURES:
        if one["stands"] == kind:
            text = text.replace(one["figure"], "")
    assert re.findall(r"(?<![\w-])\.?\d[\d.,]*", text) == []


def flat(text: str) -> str:
    return re.sub(r"\s*\n\s*(?:# )?", " ", text)
