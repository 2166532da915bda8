"""Tests of docs/rules, a page for each kind of rule."""

from __future__ import annotations

from typing import Any

import pytest
from pages import rule_page, write

from p4warden.policy.schema import kinds, page, why

HEADS = [
    "Who is hurt",
    "A refusal",
    "To write instead",
    "The vendor's own levers",
    "Known false refusals",
    "Settings",
]


def heads(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]


@pytest.mark.parametrize("kind", kinds())
def test_the_schema_of_a_rule_has_all_parts_of_its_page(kind: str) -> None:
    assert rule_page.lacking(kind) == []
    assert not why(kind).startswith("Why")
    for lever in page(kind).get("levers", ()):
        assert [*lever] == ["lever", "since", "difference", "source"]
        assert all(lever.values())


def test_the_pages_are_those_that_make_docs_writes() -> None:
    written = {file.stem: file.read_text("utf-8") for file in write.RULES.iterdir()}
    assert written == write.rule_pages(), "run make docs"
    assert {tuple(heads(text)) for text in written.values()} == {tuple(HEADS)}


@pytest.mark.parametrize(
    ("prose", "missing"),
    [
        ({}, ["page.instead", "page.false_refusals", "page.levers (or page.no_levers)"]),
        ({"instead": ["a"], "false_refusals": ["b"], "no_levers": "None."}, []),
        ({"instead": [], "false_refusals": ["b"], "levers": [{}]}, ["page.instead"]),
    ],
)
def test_a_rule_without_a_part_of_its_page_is_reported(
    prose: dict[str, Any], missing: list[str]
) -> None:
    assert rule_page.missing_parts("Everybody.", prose) == missing
    assert rule_page.missing_parts("", prose) == ["why", *missing]
