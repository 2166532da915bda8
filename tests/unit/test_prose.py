"""Tests of the English in docstrings, comments, messages and pages, by counts of two bad habits.

A sentence that leans on "what" ("What lets the event pass", "tells what it is") seldom makes sense
without the code beside it, and neither does a docstring of one or two words.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
MOST_PERCENT = 0.5
FEWEST_WORDS = 3
LEANING = re.compile(
    r"^(?:What|Whom|Whose)\b|\bwhat (?:is|was|are|were|it|they|one|no)\b", re.IGNORECASE
)
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+")
QUOTED = re.compile(r"```.*?```|`[^`]*`|\"[^\"\n]*\"", re.DOTALL)
RUST_COMMENT = re.compile(r"^\s*//[/!]?(.*)$")
SQL_COMMENT = re.compile(r"(?:^|\s)--\s(.*)$")
YAML_COMMENT = re.compile(r"(?:^|\s)#\s?(.*)$")
PYTHON = ("triggers", "tests", "bench", "fuzz", "setup.py")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings in a Python source text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            yield text


def python_prose(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a Python source; adjacent comment lines are joined."""
    yield from docstrings(source)
    comments: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.string.lstrip("# ")
    yield from _joined(comments)


def messages(source: str) -> Iterator[str]:
    """Yield the lines of the string literals in a Python source, without docstrings.

    A value in an f-string is replaced by one mark; literals without a space are left out.
    """
    tree = ast.parse(source)
    left_out = {id(part) for node in ast.walk(tree) for part in _not_messages(node)}
    for node in ast.walk(tree):
        text = "" if id(node) in left_out else _text(node)
        if " " in text:
            yield from (line.lstrip("# ") for line in text.splitlines())


def _not_messages(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Expr):
        return [node.value]
    return node.values if isinstance(node, ast.JoinedStr) else []


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "`" for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def rust_prose(source: str) -> Iterator[str]:
    """Yield the whole-line comments of a Rust source text; adjacent lines are joined."""
    yield from _comments(RUST_COMMENT, source)


def sql_prose(source: str) -> Iterator[str]:
    """Yield the comments of an SQL text; adjacent ones are joined."""
    yield from _comments(SQL_COMMENT, source)


def yaml_prose(source: str) -> Iterator[str]:
    """Yield the comments of a YAML text or template; adjacent ones are joined."""
    yield from _comments(YAML_COMMENT, source)


def _comments(comment: re.Pattern[str], source: str) -> Iterator[str]:
    lines = dict(enumerate(map(comment.search, source.splitlines())))
    yield from _joined(
        {number: results[1].strip() for number, results in lines.items() if results}
    )


def page_prose(text: str) -> Iterator[str]:
    """Yield a Markdown page's paragraphs, headings, list items and table cells, without code."""
    prose = re.sub(r"(?m)^ {4}.*$|^<.*$", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for paragraph in re.split(r"\n\s*\n|\||^[#*-] ?", prose, flags=re.MULTILINE):
        yield paragraph.strip()


def _joined(lines: dict[int, str]) -> Iterator[str]:
    block: list[str] = []
    for number in sorted(lines):
        if block and number - 1 not in lines:
            yield " ".join(block)
            block = []
        block.append(lines[number])
    yield " ".join(block)


def sentences(prose: str) -> list[str]:
    """Split a prose text into sentences, with each quotation and code span replaced by
    one mark.
    """
    return [part for part in SENTENCE_END.split(QUOTED.sub("`", prose).strip()) if part]


def files(*patterns: str) -> list[Path]:
    """Return the project's files that match any of these globs, except those in build folders."""
    results = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(path for path in results if "target" not in path.relative_to(ROOT).parts)


KINDS: dict[str, tuple[Callable[[str], Iterator[str]], list[Path]]] = {
    "python": (python_prose, files("setup.py", *(f"{folder}/**/*.py" for folder in PYTHON))),
    "rust": (rust_prose, files("triggers/gate/**/*.rs")),
    "pages": (page_prose, files("*.md", "docs/*.md", "deploy/*.md")),
    "messages": (messages, files("triggers/**/*.py")),
    "sql": (sql_prose, files("triggers/**/*.sql", "docs/**/*.sql")),
    "yaml": (
        yaml_prose,
        files(*(f"{folder}/**/*.yaml*" for folder in ("triggers", "policies", "deploy", "tests"))),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_few_sentences_use_a_relative_what(kind: str) -> None:
    prose_of, paths = KINDS[kind]
    total, reports = 0, []
    for path in paths:
        results = [part for text in prose_of(path.read_text("utf-8")) for part in sentences(text)]
        total += len(results)
        bad = [part for part in results if LEANING.search(part)]
        reports += (
            [f"{path.relative_to(ROOT)}: {len(bad)} of {len(results)}: {bad[0]}"] if bad else []
        )
    count = sum(int(line.split(": ")[1].split()[0]) for line in reports)
    assert count <= total * MOST_PERCENT / 100, "\n".join([f"{count} of {total}", *reports])


def test_no_docstring_is_too_short() -> None:
    short = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in KINDS["python"][1]
        for text in docstrings(path.read_text("utf-8"))
        if len(text.split()) < FEWEST_WORDS
    ]
    assert not short


@pytest.mark.parametrize(
    ("prose", "count"),
    [
        ("What lets it pass.", 1),
        ("Return the rest. Whom it concerns.", 1),
        ("Tell what is wrong; say why.", 1),
        ("Return the payload: what it holds.", 1),
        ("Whatever the reason, note what the server answers.", 0),
        ('The message `what is wrong?`, and the question "what is it?"', 0),
    ],
)
def test_sentences_with_a_relative_what_are_counted(prose: str, count: int) -> None:
    assert sum(1 for part in sentences(prose) if LEANING.search(part)) == count


def test_prose_is_found_in_each_language() -> None:
    python = '"""One.\n\nTwo."""\nx = 1  # three\n# four\n# five\n'
    assert list(python_prose(python)) == ["One.\n\nTwo.", "three four five"]
    assert list(rust_prose("//! one\n//! two\nfn a() {}\n/// three\n")) == ["one two", "three"]
    assert list(messages('"""No one."""\na = f"b {c} d"\ne = "f"\ng = "# h i\\nj"\n')) == [
        "b ` d",
        "h i",
        "j",
    ]
    assert list(sql_prose("-- one\nSELECT 2 - -1, -- two\n  3\n-- three\n")) == [
        "one two",
        "three",
    ]
    assert list(yaml_prose("# one\na: 'b#c'  # two\nd: 3\n#four\n")) == ["one two", "four"]
    assert [part for part in page_prose("# One\n\ntwo\n\n    code\n\n| a | b |\n") if part] == [
        "One",
        "two",
        "a",
        "b",
    ]
