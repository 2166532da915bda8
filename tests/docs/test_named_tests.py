"""Tests that the tests and files that docs/security.md names exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text("utf-8")
SOURCES = ("tests/**/*.py", "triggers/gate/src/**/*.rs", "triggers/gate/tests/**/*.rs")
INDEX = ("triggers/gate/index/src/**/*.rs", "triggers/gate/index/tests/**/*.rs")
# A name of five words is a test's; the names of rules have fewer.
NAME = re.compile(r"`([a-z]+(?:_[a-z0-9]+){4,})`")
FILE = re.compile(r"`((?:fuzz|tests|triggers)/[^`]+)`")


def test_each_test_that_the_page_on_security_names_exists() -> None:
    files = [file for pattern in (*SOURCES, *INDEX) for file in ROOT.glob(pattern)]
    texts = (file.read_text("utf-8") for file in files)
    tests = {name for text in texts for name in re.findall(r"(?:def|fn) (\w+)", text)}
    named = set(NAME.findall(PAGE))
    assert len(named) > 40
    assert named <= tests


def test_each_file_that_the_page_on_security_names_exists() -> None:
    assert not [path for path in FILE.findall(PAGE) if not [*ROOT.glob(path)]]
