"""List what comments of one commit state and those of another do not: `stated_facts.py OLD [NEW]`.

A stated fact is a source, a unit or a raised error in a docstring or comment; without NEW the
working tree is compared. A fact whose file was deleted or renamed is found wherever it now stands.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from typing import TYPE_CHECKING

from size import RUST_COMMENT, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = re.compile(
    r"https?://\S+|\bp4 help [\w-]+|\b\d{4}\.\d\b|#\d{5,}|\bRFC \d+"
    r"|\b[\w/.-]+\.(?:cc|h|html|c|java)\b|\b(?:Guide|Reference|[Rr]elease notes?|P4API|P4Java)\b"
    r"|\b(?:P4Python|SDP|schema|man page|manual|papers?)\b"
    r"|\b(?:RIM|TiVo|NetApp|Performance Lab|msg(?:help|s|config|server|dm|triggers)\w*)\b"
)
UNIT = re.compile(
    r"\b(?:nano|milli|micro)?seconds?\b|\bbytes?\b|\bKiB\b|\bMiB\b|\bminutes?\b|\bhours?\b|\bdays?\b"
    r"|\bpercent\b|\bepoch\b|\bcharacters?\b|\brecords?\b|\bpages?\b"
)
ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exit|Exception)\b")
KINDS = (("source", SOURCE), ("unit", UNIT), ("error", ERROR))


def prose(path: str, text: str) -> Iterator[str]:
    """Yield each docstring of a Python file and each line of other comments."""
    if path.endswith(".rs"):
        yield from (
            " ".join(line.split()) for line in text.splitlines() if RUST_COMMENT.match(line)
        )
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield " ".join(str(node.value.value).split())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def facts(commit: str | None) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the places (path, text) of each fact (kind, words) in the comments of a commit."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for path, text in sources(commit):
        for sentence in prose(path, text):
            for kind, pattern in KINDS:
                for words in set(pattern.findall(sentence)):
                    found.setdefault((kind, words), []).append((path, sentence))
    return found


def main(old: str, new: str | None) -> None:
    """Print each place of a fact that the old commit states more often than the new one."""
    before, after = facts(old), facts(new)
    for (kind, words), places in sorted(before.items()):
        now = {sentence for _, sentence in after.get((kind, words), [])}
        gone = [(path, sentence) for path, sentence in places if sentence not in now]
        status = "kept elsewhere" if now else "GONE"
        for path, sentence in gone:
            print(f"{kind}\t{words}\t{status}\t{path}\t{sentence[:300]}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)  # noqa: PLR2004 - OLD [NEW]
