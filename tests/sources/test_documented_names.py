"""Tests that docstrings document only fields and parameters that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
FOLDERS = ("triggers", "tests", "bench", "fuzz")
SECTION = re.compile(r"^(?:Attributes|Args):\n((?:    .*\n?|\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^    (\*{0,2}\w+(?:, \w+)*):", re.MULTILINE)


def unknown_names(source: str) -> Iterator[str]:
    """Yield the documented names that a class or function of a Python source does not have."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and (documented := _documented(node)):
            yield from (f"{node.name}: {name}" for name in documented - set(_names(node)))


def _documented(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    sections = SECTION.findall(ast.get_docstring(node) or "")
    entries = [names for section in sections for names in ENTRY.findall(section)]
    return {name.strip(" *") for names in entries for name in names.split(",")}


def _names(node: ast.ClassDef | ast.FunctionDef) -> Iterator[str]:
    """Yield a function's parameters, or a class's fields, methods and its methods' parameters."""
    for part in ast.walk(node if isinstance(node, ast.ClassDef) else node.args):
        if isinstance(part, ast.AnnAssign | ast.Assign):
            targets = [part.target] if isinstance(part, ast.AnnAssign) else part.targets
            yield from (ast.unparse(target).removeprefix("self.") for target in targets)
        elif isinstance(part, ast.FunctionDef):
            yield part.name
        elif isinstance(part, ast.arg):
            yield part.arg


@pytest.mark.long
def test_docstrings_document_only_existing_fields_and_parameters() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 100
    assert not [
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in unknown_names(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize(
    ("head", "section", "names"),
    [
        ("class A:", "Attributes:\n        b: c.\n        d, e: f.", {"A: d", "A: e"}),
        ("class A:", "Attributes:\n        b: c\n            f: e.", set()),
        ("def a(b, *c):", "Args:\n        b: d.\n        *c: e.", set()),
        ("def a(b):", "Args:\n        b: d.\n        *c: e.", {"a: c"}),
    ],
)
def test_documented_names_that_do_not_exist_are_found(
    head: str, section: str, names: set[str]
) -> None:
    source = f'{head}\n    """Title.\n\n    {section}\n    """\n\n    b: int\n'
    assert set(unknown_names(source)) == names
