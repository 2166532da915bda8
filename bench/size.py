"""Count the lines of code, comments and blanks by room: `bench/size.py [COMMIT ...]`.

Without a commit the files of the working tree are counted. Docstrings are comments; a line with
code and a comment is code. Tests inside Rust files are code.
"""

from __future__ import annotations

import ast
import collections
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
NO_CODE = frozenset((tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT))
RUST_COMMENT = re.compile(r"\s*(//|/\*|\*/)")
ROOM = re.compile(r"triggers/(p4warden(?:_sandbox)?/\w+(?=/)|gate/(?:log|index|src/\w+(?=/)))")


class Lines(NamedTuple):
    """Numbers of lines of a file or a room."""

    code: int
    comment: int
    blank: int

    def plus(self, other: Lines) -> Lines:
        """Return the sums of two counts."""
        return Lines(*(a + b for a, b in zip(self, other, strict=True)))


def of_python(text: str) -> Lines:
    """Count the lines of a Python file."""
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = comments if token.type == tokenize.COMMENT else code
        if token.type == tokenize.COMMENT or (token.type not in NO_CODE and token.string.strip()):
            kind.update(range(token.start[0], token.end[0] + 1))
    docstrings = set(_docstring_lines(ast.parse(text)))
    blank = {n for n, line in enumerate(text.splitlines(), 1) if not line.strip()}
    code -= docstrings
    comments = (comments | docstrings) - code - blank
    return Lines(len(code), len(comments), len(blank))


def _docstring_lines(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of all texts that stand alone as a statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def of_rust(text: str) -> Lines:
    """Count the lines of a Rust file."""
    lines = text.splitlines()
    blank = sum(not line.strip() for line in lines)
    comment = sum(bool(RUST_COMMENT.match(line)) for line in lines)
    return Lines(len(lines) - blank - comment, comment, blank)


def room(path: str) -> str:
    """Return the room that a file is counted for, such as `gate/src/rules`."""
    # In earlier commits gate/ stands at the top.
    here = f"triggers/{path}" if path.startswith("gate/") else path
    match = ROOM.match(here)
    return match[1] if match else here.removeprefix("triggers/").partition("/")[0]


def sources(commit: str | None) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each Python and Rust file of a commit or the working tree."""
    listing = ["ls-tree", "-r", "--name-only", commit] if commit else ["ls-files"]
    for path in _git(*listing).splitlines():
        if path.endswith((".py", ".rs")):
            text = _git("show", f"{commit}:{path}") if commit else Path(ROOT, path).read_text()
            yield path, text


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def table(commit: str | None) -> Iterator[str]:
    """Yield the lines of a table of counts: each room, Python, Rust and the product."""
    sums: dict[str, Lines] = collections.defaultdict(lambda: Lines(0, 0, 0))
    for path, text in sources(commit):
        counted = of_python(text) if path.endswith(".py") else of_rust(text)
        language = "Python" if path.endswith(".py") else "Rust"
        for name in (room(path), f"all {language}"):
            sums[name] = sums[name].plus(counted)
        if path.startswith("triggers/p4warden/"):
            sums["all triggers/p4warden"] = sums["all triggers/p4warden"].plus(counted)
    yield f"{commit or 'working tree':30}{'code':>8}{'comment':>9}{'blank':>8}{'ratio':>8}"
    for name, lines in sorted(sums.items(), key=lambda item: (item[0].startswith("all"), item[0])):
        ratio = lines.comment / max(lines.code, 1)
        yield f"{name:30}{lines.code:8}{lines.comment:9}{lines.blank:8}{ratio:8.2f}"


if __name__ == "__main__":
    for commit in sys.argv[1:] or (None,):
        print(*table(commit), sep="\n")
