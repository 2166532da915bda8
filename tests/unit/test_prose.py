"""Tests that few comments, messages and pages lean on "what".

A sentence such as "What lets the event pass" or "tells what it is" seldom makes sense without the
code beside it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 12
"""Of each kind; a few sentences need the word."""

LEANING = re.compile(
    r"(?:^|[.!?:;] )(?:What|Whom|Whose)\b|\bwhat (?:is|was|are|were|it|they|one|no)\b"
)
QUOTED = re.compile(r"`[^`]*`|(?<!\")\"[^\"\n]+\"(?!\")")
MARKS = re.compile(r"^\s*(?:///?|//!|#+|--|\"\"\"|[*|-])?\s*")
FILES = {
    "Python": ("triggers/**/*.py", "bench/*.py", "fuzz/*.py"),
    "Rust": ("triggers/gate/**/*.rs",),
    "pages": ("*.md", "docs/**/*.md", "deploy/*.md"),
    "YAML and SQL": ("policies/*.yaml", "deploy/**/*.y*ml", "docs/**/*.sql", "triggers/**/*.sql"),
}


def leaning(text: str) -> list[str]:
    """Return the lines of a text that lean on "what", without code spans and quotations."""
    lines = (MARKS.sub("", QUOTED.sub("`", line), count=1) for line in text.splitlines())
    return [line for line in lines if LEANING.search(line)]


@pytest.mark.parametrize("kind", FILES)
def test_few_sentences_lean_on_what(kind: str) -> None:
    paths = {path for pattern in FILES[kind] for path in ROOT.glob(pattern) if path.is_file()}
    own = [path for path in paths if "target" not in path.relative_to(ROOT).parts]
    assert own
    found = [f"{path}: {line}" for path in own for line in leaning(path.read_text("utf-8"))]
    assert len(found) <= MOST_LINES, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("    # What lets it pass.", 1),
        ('"""Return the rest. Whom it concerns."""', 1),
        ("/// Tell what is wrong; say why.", 1),
        ("Whatever the reason, note what the server answers.", 0),
        ('The message `what is wrong?`, and the question "what is it?"', 0),
    ],
)
def test_a_leaning_line_is_found(line: str, count: int) -> None:
    assert len(leaning(line)) == count
