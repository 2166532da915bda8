"""Tests that links in the project's Markdown pages lead to existing pages and headings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from p4warden.core.subcommands import SUBCOMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("deploy/*.md"),
]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a Markdown page's headings, as GitHub builds them for links."""
    heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_an_existing_page_and_heading(page: Path) -> None:
    for name, anchor in LINK.findall(page.read_text("utf-8")):
        target = page.parent / name if name else page
        assert target.is_file(), name
        assert not anchor or anchor in anchors(target), anchor


NAMED = re.compile(r"(?<![\w/])(?:docs|deploy)/[\w/-]+\.md\b")
SOURCES = [
    file
    for pattern in (
        "triggers/**/*.py",
        "triggers/*/src/**/*.rs",
        "triggers/*/*/src/**/*.rs",
        "deploy/*",
    )
    for file in ROOT.glob(pattern)
    if file.is_file()
]


def test_every_page_that_a_text_of_the_program_names_exists() -> None:
    named = {name for file in SOURCES for name in NAMED.findall(file.read_text("utf-8"))}
    assert "docs/servers.md" in named
    assert {name for name in named if not (ROOT / name).is_file()} == set()


def reached(page: Path, found: set[Path]) -> set[Path]:
    """Add a page and all pages that its links lead to."""
    if page not in found and page.suffix == ".md":
        found.add(page)
        for name, _ in LINK.findall(page.read_text("utf-8")):
            reached((page.parent / name).resolve() if name else page, found)
    return found


def test_every_page_and_every_command_is_found_from_the_readme() -> None:
    found = reached(ROOT / "README.md", set())
    assert {*PAGES} - found == set()
    text = "\n".join(page.read_text("utf-8") for page in found)
    assert [name for name in SUBCOMMANDS if f"p4warden {name}" not in text] == []
